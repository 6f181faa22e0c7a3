/* SPDX-License-Identifier: MIT */
/*
 * Packets: the calls of a process, one by one, in the order in which each
 * thread made them (clew record --trace).
 *
 * Packets are in PID.SEQ.trace, beside the part PID.SEQ.part (recording.h).
 * Both files have the same layout: a wire_header, of which only magic, version,
 * end, pid and seq are used, then chunks:
 *
 *	WIRE_PACKET_BLOCKS	maps calls' indices to functions; first
 *	WIRE_PACKET		calls of one thread; its owner is a tally
 *
 * A packet is an array of 32-bit words. Each call is one word:
 *
 *	 31       22 21                     0
 *	|   place   |         index         |
 *
 * The index identifies the function. The index's high bits select a block of
 * 1,024 function numbers, which the WIRE_PACKET_BLOCKS chunk lists (numbers are
 * sparse, wire/id.h); its low bits select the function in the block.
 *
 * The place is the position of the call's return address on the stack (its
 * slot): the number of 8-byte slots above the base of the preceding context.
 * *Returns have no words*: a new call implies that each earlier call with its
 * slot at or below the new one has returned. Two kinds of words record returns
 * that this rule misses: a function returned before its caller reserved stack
 * space and called the next one; or each return needs its time.
 *
 *	calls	main{ a{ b{} } c{ d{} } }		a tail call: T
 *	words	500 main, 490 a, 470 b, 490 c, 480 d
 *
 * A signal handler that interrupts between a function's entry and its word
 * makes its calls first: its words precede the function's word and have lower
 * slots.
 *
 * Words that are no calls have an index of WIRE_PACKET_ODD or more (no function
 * has such an index) and contain their length in words, so that readers can
 * skip unknown kinds:
 *
 *	 31       22 21  16 15             0
 *	|   kind    | 0x3f |     words     |
 *
 *	WIRE_PACKET_BEGIN	struct wire_packet_begin, the functions of the
 *				whole calling context, innermost first, and
 *				their places
 *	WIRE_PACKET_TAIL_BELOW	The second word is a tail call: the innermost
 *				function of its slot has jumped to it and
 *				remains active until it returns
 *	WIRE_PACKET_TAIL_OUT	as above, but the jump has ended all functions
 *				of the slot except the first
 *	WIRE_PACKET_TAIL	as above, but it has ended all of them
 *	WIRE_PACKET_STAMP	the time stamp counter of the preceding call, in
 *				words two and three
 *	WIRE_PACKET_MOMENT	the same, at any time between two calls
 *	WIRE_PACKET_RETURN	a place, and the counter: when the call there
 *				returned, after those within it
 *	WIRE_PACKET_LEFT	a place: the calls below it have returned
 *	WIRE_PACKET_SITE	the return address of the preceding call, in
 *				words two and three, or 0
 *	WIRE_PACKET_SITES	the same for each function of the preceding
 *				context, innermost first
 *	WIRE_PACKET_VALUE	struct wire_packet_value and the bytes of a
 *				string: a value of a call that a probe has
 *				recorded (user_probe.h)
 *
 * The last three kinds are present if wire_packet_blocks.keeps has their bit.
 * The return address of a tail call is that of the call whose place it took. A
 * value follows its call as soon as it is available, and is repeated after each
 * context that contains the call.
 *
 * A packet begins with WIRE_PACKET_BEGIN and needs nothing from earlier
 * packets, so any number of readers can read packets in any order. Another
 * WIRE_PACKET_BEGIN follows within the packet, before the next call, if the
 * thread's stack no longer matches its calls (after longjmp(), exceptions, on
 * another stack, after a coroutine switch, in a forked child), or if a call's
 * slot is out of range above the base.
 *
 * The context is the one in which the next call is made. The context lists the
 * functions that were found on the stack, at most WIRE_PACKET_FUNCTIONS. The
 * context around them is given by its id only: ID_ROOT if there is none, else
 * the id of a context that other words, perhaps in other packets, have called.
 * The places may exceed a call's maximum. Functions on another stack, and all
 * functions around them, have the place WIRE_PACKET_ELSEWHERE: no call's place
 * implies that they have returned.
 *
 * A word is claimed before it is written, because a signal handler may
 * interrupt in between and claim others. A word that is 0 was claimed and never
 * written (the thread was killed, or a handler jumped away), or is not claimed
 * yet. Zeros therefore mark the end of a packet.
 *
 * The library writes packets in place (preload/tracing/traced.c), so a killed or
 * crashed process loses no words. A packet is zeroed before it is reused, and
 * gets another sequence. A reader that copies a packet while it is written
 * checks the sequence again afterwards.
 *
 * If workers count the calls of packets while the process runs (taken.h), the
 * chunk's `used` holds the packet's owner (enum wire_packet_state). A thread
 * keeps its latest full packet until the next one is full: a stub that was
 * interrupted between claiming and writing a word may still write it.
 */
#ifndef CLEW_WIRE_PACKET_H
#define CLEW_WIRE_PACKET_H

#include <stdint.h>

#define WIRE_TRACE_SUFFIX        ".trace"
#define WIRE_PACKET_BYTES        65536 /* of a chunk, header included */
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

/* The place of functions on another stack, and of all functions around them. */
#define WIRE_PACKET_ELSEWHERE UINT32_MAX

/* The maximum value of the option that limits a trace to a call depth. */
#define WIRE_PACKET_DEPTH_MAX              200

#define WIRE_PACKET_TAIL_WORDS             2 /* all three kinds */
#define WIRE_PACKET_STAMP_WORDS            3
#define WIRE_PACKET_MOMENT_WORDS           3
#define WIRE_PACKET_RETURN_WORDS           4
#define WIRE_PACKET_LEFT_WORDS             2
#define WIRE_PACKET_SITE_WORDS             3
#define WIRE_PACKET_SITES_WORDS(functions) (1 + 2 * (uint32_t)(functions))

/* Returns the first word of an item that is no call. */
static inline uint32_t wire_packet_odd(enum wire_packet_kind kind,
				       uint32_t words)
{
	return (uint32_t)kind << WIRE_PACKET_PLACE_SHIFT | WIRE_PACKET_ODD |
	       words;
}

/*
 * Returns the depth of the innermost function that stays active when another
 * one is entered at a place, by a call (`kind` 0) or a tail call
 * (WIRE_PACKET_TAIL...). Running functions are numbered by depth: the outermost
 * has depth 1, and places[0] is WIRE_PACKET_ELSEWHERE.
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
 * Returns the depth that remains when the function at this depth returns.
 * Functions that have jumped to it have its place and return with it. For
 * WIRE_PACKET_ELSEWHERE these are unknown.
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
	WIRE_PACKET_FIRST, /* first of the thread */
	/* The preceding packet was full: no calls are missing. */
	WIRE_PACKET_FULL,
	/*
	 * The stack no longer matches the calls, or contains a call whose word
	 * follows later.
	 */
	WIRE_PACKET_MOVED,
};

/*
 * Owner of a packet; changed by compare-and-swap, by its thread and by workers.
 */
enum wire_packet_state {
	WIRE_PACKET_OWNED, /* its thread; always so without workers */
	/* Full: the first worker to claim it may count it. */
	WIRE_PACKET_OFFERED,
	WIRE_PACKET_TAKEN,   /* a worker counts it */
	WIRE_PACKET_COUNTED, /* its calls are in the file; it may be reused */
};

/* Why threads no longer wait for workers. */
enum wire_given_up {
	WIRE_WORKERS_AWAITED,
	WIRE_WORKERS_LATE,  /* a thread waited for the maximum time */
	WIRE_WORKERS_ENDED, /* the workers reported their end */
	WIRE_WORKERS_SHORT, /* the same, because they lack memory */
};

#define WIRE_WORKERS_MAX 64

/* Bits: which data about calls a trace has in addition. */
#define WIRE_KEEPS_SITES  1U
#define WIRE_KEEPS_VALUES 2U

/*
 * The treatment of the oldest packet when the trace has reached its maximum
 * size.
 */
enum wire_overflow {
	WIRE_OVERFLOW_DROP,    /* it is reused */
	WIRE_OVERFLOW_PROCESS, /* its thread counts its calls first */
	WIRE_OVERFLOW_WAIT, /* its thread waits until a worker has counted it */
	WIRE_OVERFLOW_COUNT
};

/* Consists of 32-bit words and has only their alignment. */
struct wire_packet_begin {
	uint32_t head;
	uint32_t tid;
	uint32_t sequence[2]; /* low, high: in its tally, from 1 */
	uint32_t tsc[2];      /* low, high */
	uint32_t id[2];       /* low, high: the context that begins */
	uint32_t cause;       /* enum wire_packet_cause */
	/* Number of functions; their numbers follow, then their places. */
	uint32_t functions;
};
_Static_assert(sizeof(struct wire_packet_begin) == 40, "on the wire");

#define WIRE_VALUE_IS_MISSING 1 /* the value could not be read */
#define WIRE_VALUE_IS_AGAIN   2 /* already recorded when the call was made */

/*
 * A value of the innermost call at a place, or of the call `out` functions
 * further out. For a string, `number` is the length of the bytes that follow.
 * Consists of 32-bit words.
 */
struct wire_packet_value {
	uint32_t head;
	uint8_t probe; /* number of the probe */
	/* Index in the probe's fields (struct wire_probe_field). */
	uint8_t field;
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

/*
 * Compares two copies of the same packet; returns whether it was not reused in
 * between.
 */
static inline int wire_packet_is_same(const struct wire_packet_begin *one,
				      const struct wire_packet_begin *other)
{
	return wire_packet_is_begun(one) && wire_packet_is_begun(other) &&
	       one->sequence[0] == other->sequence[0] &&
	       one->sequence[1] == other->sequence[1] && one->tid == other->tid;
}

/* Follows the places and marks the context as complete. */
#define WIRE_PACKET_BEGIN_END UINT32_C(0x646e6521)
#define WIRE_PACKET_BEGIN_WORDS(functions)                                     \
	((uint32_t)(sizeof(struct wire_packet_begin) / 4) + 2 * (functions) + 1)

/*
 * Returns the function's number. `block` is the entry of its block; 0: no
 * block.
 */
static inline uint32_t wire_packet_function(uint32_t block, uint32_t index)
{
	return (block - 1) << WIRE_PACKET_BLOCK_LOG2 |
	       (index & ((UINT32_C(1) << WIRE_PACKET_BLOCK_LOG2) - 1));
}

/*
 * The WIRE_PACKET_BLOCKS chunk. An entry is number / 1,024 + 1, or 0; entries
 * are only added. The first entry belongs to no function, so no call's word is
 * 0.
 */
struct wire_packet_blocks {
	_Atomic uint32_t count;
	/*
	 * Probe hits without values in the trace, though their calls are there;
	 * written by any thread.
	 */
	_Atomic uint32_t values_lost;
	uint32_t blocks[WIRE_PACKET_BLOCKS_COUNT];
	uint32_t refused;  /* functions that got no block and are not hooked */
	uint32_t overflow; /* enum wire_overflow */
	_Atomic uint64_t dropped; /* reused packets; any thread */
	/* Removed calls that were too short; any thread. */
	_Atomic uint64_t taken_back;
	uint64_t least_ns; /* minimum duration of recorded calls; 0: none */
	/* Packets reused after their calls were counted in the part. */
	_Atomic uint64_t counted; /* any thread */
	/*
	 * Packets reused after a worker counted their calls in the file beside
	 * this one (taken.h).
	 */
	_Atomic uint64_t handed_over; /* any thread */
	/*
	 * How often threads waited for a worker, and the total time; any
	 * thread.
	 */
	_Atomic uint64_t waits, waited_ns;
	/*
	 * Futex words. A thread adds 1 to `filled` for each packet that workers
	 * may take; workers add 1 to `freed` when some packets may be reused.
	 */
	_Atomic uint32_t filled, freed;
	_Atomic uint32_t waiting;  /* waiting threads */
	_Atomic uint32_t sleeping; /* workers to wake when `filled` changes */
	_Atomic uint32_t
		is_given_up; /* enum wire_given_up: if not 0, no thread waits */
	uint32_t keeps;      /* WIRE_KEEPS_SITES, _VALUES */
};
_Static_assert(sizeof(struct wire_packet_blocks) == 96 + 4 * 4032,
	       "on the wire");

#endif
