/* SPDX-License-Identifier: MIT */
/*
 * Packets: the calls of a process, one by one, in the order in which each thread
 * made them (clew record --trace).
 *
 * They lie in PID.SEQ.trace, beside the part PID.SEQ.part (recording.h), with
 * which it shares the layout: a wire_header, of which magic, version, end, pid
 * and seq mean something, then chunks:
 *
 *	WIRE_PACKET_BLOCKS	what the numbers in calls stand for; the first chunk
 *	WIRE_PACKET		calls of one thread at a time; its owner is a tally
 *
 * A packet is a row of 32-bit words. Calls have one word each:
 *
 *	 31          22 21                                  0
 *	|    place     |             index                   |
 *
 * The index says which function it is. Its twelve high bits number a block, of
 * which the WIRE_PACKET_BLOCKS chunk says where its 1,024 functions' numbers are
 * (the numbers are sparse, wire/id.h); the low ones are the function's in it.
 *
 * The place says where on the stack the call's return address is, its slot: how many
 * slots of 8 bytes above the base that the context before has. So *returns have no
 * words*: what has its slot there or below when a call is made has returned. There are two
 * kinds of words for others: where a function has returned before its caller makes room on
 * the stack, and calls the next one; and where each return is to have its time.
 *
 *	calls		main{ a{ b{} } c{ d{} } }		a tail call: T
 *	words		500 main, 490 a, 470 b, 490 c, 480 d
 *
 * A signal handler that comes between a function's entry and its word calls first: its
 * words are below the function's, which comes after them.
 *
 * What is no call has an index of WIRE_PACKET_ODD and more (there are no such
 * functions), and says how many words it has, so that unknown ones are skipped:
 *
 *	 31          22 21    16 15                         0
 *	|     kind     |  0x3f  |           words            |
 *
 *	WIRE_PACKET_BEGIN	struct wire_packet_begin, the functions of the whole
 *				calling context, innermost first, and their places
 *	WIRE_PACKET_TAIL_BELOW	a call follows, in the second word, that is a tail
 *				call: the innermost function of its slot has jumped to
 *				it, and goes on until it returns
 *	WIRE_PACKET_TAIL_OUT	the same, but all functions of the slot have ended by
 *				that, except the first one
 *	WIRE_PACKET_TAIL	the same, but all of them have
 *	WIRE_PACKET_STAMP	the time stamp counter, in the second and third,
 *				beside the call before it
 *	WIRE_PACKET_MOMENT	the same, at any time between two calls
 *	WIRE_PACKET_RETURN	a place, and the counter: the call there has returned
 *				then, and those within it before
 *	WIRE_PACKET_LEFT	a place: calls below that have returned
 *	WIRE_PACKET_SITE	where the call just before it returns to, in the
 *				second and third: an address, or 0
 *	WIRE_PACKET_SITES	the same of each function of the context just before
 *				it, innermost first
 *
 *	WIRE_PACKET_VALUE	struct wire_packet_value, and a string's bytes: what a
 *				probe has kept of a call (user_probe.h)
 *
 * The last three are there if wire_packet_blocks.keeps says so. A tail call returns to where
 * the one does whose place it has taken. Values are said behind the call, as soon as they are
 * known, and again behind each context that it is in.
 *
 * A packet begins with the first, before which there is nothing to know: so
 * packets can be read in any order, by any number of readers. Where a thread's
 * stack is no longer what its calls say (after longjmp(), exceptions, on another
 * stack, behind a coroutine's switch, in a forked child), or a call's slot has no place
 * above the base, another one stands within the packet, before the next call.
 *
 * The context in it is that in which the next call is made. Its functions are
 * as many as were found on the stack, at most WIRE_PACKET_FUNCTIONS. What is
 * around them is known by its id only: ID_ROOT if there is nothing, else the id
 * of a context that other words, maybe of other packets, have called. Their places may be
 * larger than a call's; WIRE_PACKET_ELSEWHERE is that of functions on another stack, and of
 * all around them: no call's place says that they have returned.
 *
 * A word is claimed before it is written, since a signal handler may come in
 * between, and claims others. A word that is still 0 was claimed and never
 * written (the thread was killed, or a handler jumped away), or is not yet
 * claimed; so a packet has no other end than zeros.
 *
 * The runtime writes it in place (preload/time/traced.c), so a kill or a crash
 * costs no word. A packet that is used again is zeroed first, and its sequence
 * is another; a reader that copies one while it is written looks at that again.
 *
 * Where workers count the calls of packets while the process runs (taken.h), the
 * chunk's `used` says whose the packet is (enum wire_packet_state). The one that a thread
 * has left last stays its own until it has left another one: a stub that a signal
 * handler interrupted between claiming a word and writing it may still do so.
 */
#ifndef CLEW_WIRE_PACKET_H
#define CLEW_WIRE_PACKET_H

#include <stdint.h>

#define WIRE_TRACE_SUFFIX        ".trace"
#define WIRE_PACKET_BYTES        65536 /* of a chunk, its head included */
#define WIRE_PACKET_BLOCK_LOG2   10
#define WIRE_PACKET_PLACE_SHIFT  22
#define WIRE_PACKET_PLACES       (1 << (32 - WIRE_PACKET_PLACE_SHIFT))
#define WIRE_PACKET_INDEX        UINT32_C(0x3fffff)
#define WIRE_PACKET_ODD          UINT32_C(0x3f0000)
#define WIRE_PACKET_ODD_WORDS    UINT32_C(0xffff)
#define WIRE_PACKET_FUNCTIONS    1000
#define WIRE_PACKET_BLOCKS_COUNT (WIRE_PACKET_ODD >> WIRE_PACKET_BLOCK_LOG2)

enum wire_packet_kind {
	WIRE_PACKET_BEGIN = 1,
	WIRE_PACKET_TAIL = 2,
	WIRE_PACKET_STAMP = 3,
	WIRE_PACKET_MOMENT = 4,
	WIRE_PACKET_RETURN = 5,
	WIRE_PACKET_SITE = 6,
	WIRE_PACKET_SITES = 7,
	WIRE_PACKET_VALUE = 8,
	WIRE_PACKET_LEFT = 9,
	WIRE_PACKET_TAIL_BELOW = 10,
	WIRE_PACKET_TAIL_OUT = 11,
};

/* The place of what is on another stack, or further out than such. */
#define WIRE_PACKET_ELSEWHERE UINT32_MAX

/* How deep the calls are at most that a trace can be bound to. */
#define WIRE_PACKET_DEPTH_MAX              200

#define WIRE_PACKET_TAIL_WORDS             2 /* of all three kinds */
#define WIRE_PACKET_STAMP_WORDS            3
#define WIRE_PACKET_MOMENT_WORDS           3
#define WIRE_PACKET_RETURN_WORDS           4
#define WIRE_PACKET_LEFT_WORDS             2
#define WIRE_PACKET_SITE_WORDS             3
#define WIRE_PACKET_SITES_WORDS(functions) (1 + 2 * (uint32_t)(functions))

/* The first word of what is no call. */
static inline uint32_t wire_packet_odd(enum wire_packet_kind kind,
				       uint32_t words)
{
	return (uint32_t)kind << WIRE_PACKET_PLACE_SHIFT | WIRE_PACKET_ODD |
	       words;
}

/*
 * Functions that are running, by depth: the outermost has depth 1, and places[0] is
 * WIRE_PACKET_ELSEWHERE. How deep who goes on is when another one is entered at a place, by
 * a call (`kind` 0) or a tail call (WIRE_PACKET_TAIL...).
 */
static inline uint32_t wire_packet_entered(const uint32_t *places,
					   uint32_t depth, uint32_t place,
					   uint32_t kind)
{
	while (places[depth] < place)
		depth--;
	while (kind != WIRE_PACKET_TAIL_BELOW && places[depth] == place &&
	       (kind != WIRE_PACKET_TAIL_OUT || places[depth - 1] == place))
		depth--;
	return depth;
}

/*
 * ... when the function at this depth returns. Those that have jumped to it have its place
 * and return with it; elsewhere nobody knows which these are.
 */
static inline uint32_t wire_packet_returned(const uint32_t *places,
					    uint32_t depth)
{
	const uint32_t place = places[depth];

	do
		depth--;
	while (place != WIRE_PACKET_ELSEWHERE && places[depth] == place);
	return depth;
}

/* Why a context begins. */
enum wire_packet_cause {
	WIRE_PACKET_FIRST, /* the thread's first */
	WIRE_PACKET_FULL,  /* the packet before it was: nothing is missing */
	/* The stack is no longer what the calls say, or has one whose word comes later. */
	WIRE_PACKET_MOVED,
};

/* Whose a packet is: changed by compare-and-swap, by its thread and by workers. */
enum wire_packet_state {
	WIRE_PACKET_OWNED, /* its thread's, as all are where there are no workers */
	WIRE_PACKET_OFFERED, /* full: whoever is first may count its calls */
	WIRE_PACKET_TAKEN,   /* a worker has it */
	WIRE_PACKET_COUNTED, /* its calls are in the file; to be used again */
};

/* Why no thread waits for workers any more. */
enum wire_given_up {
	WIRE_WORKERS_AWAITED,
	WIRE_WORKERS_LATE,  /* one has waited long enough, in vain */
	WIRE_WORKERS_ENDED, /* as workers have said */
	WIRE_WORKERS_SHORT, /* the same, because they lack memory */
};

#define WIRE_WORKERS_MAX 64

/* What else there is of calls: bits. */
#define WIRE_KEEPS_SITES  1U
#define WIRE_KEEPS_VALUES 2U

/* What becomes of the oldest packet where there is to be no more room. */
enum wire_overflow {
	WIRE_OVERFLOW_DROP,    /* it is used again */
	WIRE_OVERFLOW_PROCESS, /* its thread counts its calls before */
	WIRE_OVERFLOW_WAIT,    /* its thread waits until a worker has */
	WIRE_OVERFLOW_COUNT
};

/* Of 32-bit words only: it is not aligned to more. */
struct wire_packet_begin {
	uint32_t head;
	uint32_t tid;
	uint32_t sequence[2]; /* low, high: of the tally's, from 1 on */
	uint32_t tsc[2];      /* low, high */
	uint32_t id[2];       /* low, high: of the context that begins */
	uint32_t cause;       /* enum wire_packet_cause */
	uint32_t functions;   /* whose numbers follow, then their places */
};
_Static_assert(sizeof(struct wire_packet_begin) == 40, "on the wire");

#define WIRE_VALUE_IS_MISSING 1 /* it could not be had */
#define WIRE_VALUE_IS_AGAIN   2 /* it was said when the call was made */

/*
 * A value of the innermost call at a place, or of one that is so many functions further out.
 * Of a string `number` is how many bytes of it follow. Likewise.
 */
struct wire_packet_value {
	uint32_t head;
	uint8_t probe; /* its number */
	uint8_t field; /* among the probe's (struct wire_probe_field) */
	uint8_t reserved;
	uint8_t flags;
	uint32_t place;
	uint32_t out;
	uint32_t number[2]; /* low, high */
};
_Static_assert(sizeof(struct wire_packet_value) == 24, "on the wire");

static inline int wire_packet_is_begun(const struct wire_packet_begin *begin)
{
	return (begin->head & ~WIRE_PACKET_ODD_WORDS) ==
	       wire_packet_odd(WIRE_PACKET_BEGIN, 0);
}

/* Of one place, at two times: whether it has not been used again in between. */
static inline int wire_packet_is_same(const struct wire_packet_begin *one,
				      const struct wire_packet_begin *other)
{
	return wire_packet_is_begun(one) && wire_packet_is_begun(other) &&
	       one->sequence[0] == other->sequence[0] &&
	       one->sequence[1] == other->sequence[1] && one->tid == other->tid;
}

/* Behind the places, so that a context is known to be whole. */
#define WIRE_PACKET_BEGIN_END UINT32_C(0x646e6521)
#define WIRE_PACKET_BEGIN_WORDS(functions)                                     \
	((uint32_t)(sizeof(struct wire_packet_begin) / 4) + 2 * (functions) + 1)

/* The function's number, of a block's entry, which is 0 where there is no block. */
static inline uint32_t wire_packet_function(uint32_t block, uint32_t index)
{
	return (block - 1) << WIRE_PACKET_BLOCK_LOG2 |
	       (index & ((UINT32_C(1) << WIRE_PACKET_BLOCK_LOG2) - 1));
}

/*
 * A WIRE_PACKET_BLOCKS chunk: numbers / 1,024 + 1, or 0; only grows. The first is
 * nobody's, so that no call's word is 0.
 */
struct wire_packet_blocks {
	_Atomic uint32_t count;
	/* Hits of which no value is here, though calls' are: any thread. */
	_Atomic uint32_t values_lost;
	uint32_t blocks[WIRE_PACKET_BLOCKS_COUNT];
	uint32_t refused;  /* functions that found none, and are not hooked */
	uint32_t overflow; /* enum wire_overflow */
	_Atomic uint64_t dropped; /* packets that were used again: any thread */
	_Atomic uint64_t taken_back; /* calls that were too short: any thread */
	uint64_t least_ns;           /* of those that are kept; 0: all */
	/* Packets that were used again once their calls were counted in the part. */
	_Atomic uint64_t counted; /* any thread */
	/* Likewise, once a worker had: their calls are in the file beside (taken.h). */
	_Atomic uint64_t handed_over; /* any thread */
	/* How often a thread waited for a worker, and how long in all: any thread. */
	_Atomic uint64_t waits, waited_ns;
	/*
	 * Words of futex(2). A thread adds 1 to `filled` for each packet that may be
	 * taken, workers add 1 to `freed` when some may be used again.
	 */
	_Atomic uint32_t filled, freed;
	_Atomic uint32_t waiting; /* threads, now */
	_Atomic uint32_t
		sleeping; /* workers that want to be woken for `filled` */
	_Atomic uint32_t
		is_given_up; /* enum wire_given_up: if not 0 nobody waits */
	uint32_t keeps;      /* WIRE_KEEPS_SITES, _VALUES */
};
_Static_assert(sizeof(struct wire_packet_blocks) == 96 + 4 * 4032,
	       "on the wire");

#endif
