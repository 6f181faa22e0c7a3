/* SPDX-License-Identifier: MIT */
/*
 * Packets: the calls of a process, one by one, in the order in which each
 * thread made them (clew record --trace).
 *
 * Packets are in PID.SEQ.trace, beside the part PID.SEQ.part (recording.h).
 * Both files have the same layout: a wire_header, of which only magic, version,
 * end, pid and seq are used, then chunks:
 *
 *	WIRE_PACKET_BLOCKS	maps calls' indices to functions; the first
 *				chunk
 *	WIRE_PACKET		calls of one thread; the chunk's owner is a
 *				tally
 *
 * A packet is an array of 32-bit words. A call that is no tail call is one
 * word:
 *
 *	 31       22 21                     0
 *	|   place   |         index         |
 *
 * The index identifies the function. Function numbers are sparse
 * (wire/module_functions.h). Therefore the chunk WIRE_PACKET_BLOCKS lists the
 * blocks of 1,024 function numbers that are used. The index's high bits are the
 * position of the block in this list, its low 10 bits are the function's
 * position in the block.
 *
 * The place is the position of the call's return address on the stack (the
 * call's slot): the number of 8-byte slots above the base of the preceding
 * context. *Returns have no words*: a new call implies that each earlier call
 * whose slot is at or below the new call's slot has returned. Two kinds of
 * words record returns explicitly. WIRE_PACKET_LEFT is for calls whose return
 * the rule would miss, because their caller has reserved further stack space
 * since and then made the next call below them. WIRE_PACKET_RETURN is for
 * traces in which each return has a time.
 *
 *	calls	main{ a{ b{} } c{ d{} } }
 *	words	500 main, 490 a, 470 b, 490 c, 480 d
 *
 * A signal handler may interrupt a thread after the entry of a function and
 * before the function's word is written. The words of the handler's calls then
 * precede the function's word and have lower slots.
 *
 * All other items begin with a word whose index is WIRE_PACKET_ODD or more,
 * which no function has. This word contains the item's length in words, so that
 * readers can skip unknown kinds:
 *
 *	 31       22 21  16 15             0
 *	|   kind    | 0x3f |     words     |
 *
 *	WIRE_PACKET_BEGIN	struct wire_packet_begin, the functions of the
 *				whole calling context, innermost first, and
 *				their places
 *	WIRE_PACKET_TAIL_BELOW	the second word is a tail call: the innermost
 *				function of the call's slot has jumped to the
 *				called function, and remains active until the
 *				called function returns
 *	WIRE_PACKET_TAIL_OUT	as above, but the jump has ended all functions
 *				of the slot except the first
 *	WIRE_PACKET_TAIL	as above, but the jump has ended all functions
 *				of the slot
 *	WIRE_PACKET_STAMP	the time stamp counter of the preceding call, in
 *				words two and three
 *	WIRE_PACKET_MOMENT	the time stamp counter at a time between two
 *				calls
 *	WIRE_PACKET_RETURN	a place, and the time stamp counter when the
 *				call at this place returned; the calls within it
 *				returned before
 *	WIRE_PACKET_LEFT	a place: the calls with slots below this place
 *				have returned
 *	WIRE_PACKET_SITE	the return address of the preceding call, in
 *				words two and three, or 0
 *	WIRE_PACKET_SITES	the return addresses of all functions of the
 *				preceding context, innermost first
 *	WIRE_PACKET_VALUE	struct wire_packet_value and the bytes of a
 *				string: a value of a call that a probe has
 *				recorded (user_probe.h)
 *
 * SITE, SITES and VALUE are present only if wire_packet_blocks.keeps has their
 * bit. A tail call has the return address of the call whose place it has taken.
 * A value follows its call as soon as the value is available, and is repeated
 * after each WIRE_PACKET_BEGIN whose context contains the call.
 *
 * A packet begins with WIRE_PACKET_BEGIN and can be read without earlier
 * packets, so several readers can read packets in any order. Another
 * WIRE_PACKET_BEGIN follows within the packet, before the next call, if the
 * thread's stack no longer matches its calls (after longjmp(), an exception, a
 * switch to another stack or coroutine, or a fork), or if the distance of a
 * call's slot from the base is out of range.
 *
 * The context of a WIRE_PACKET_BEGIN is the context in which the next call is
 * made. The item lists the functions that were found on the stack, at most
 * WIRE_PACKET_FUNCTIONS. The functions further out are represented only by the
 * id of their context: ID_ROOT if there are none, otherwise the id of a context
 * that was entered by other calls, perhaps in other packets. The places in the
 * item may be greater than the places of calls can be. Functions on another
 * stack, and all functions outside of these, have the place
 * WIRE_PACKET_ELSEWHERE: no call's place implies that they have returned.
 *
 * A thread claims a word before it writes the word, because a signal handler
 * may interrupt between both steps and claim further words. A word that is 0
 * was claimed but never written (the thread was killed, or a handler jumped
 * away), or is not claimed yet. Therefore a packet ends where all further words
 * are 0.
 *
 * The library writes packets in place (preload/tracing/traced.c), so a killed
 * or crashed process loses no words. A packet is zeroed before it is reused,
 * and its first context then has another sequence number. A reader that copies
 * a packet while the process runs compares this number again after copying.
 *
 * If workers count the calls of packets while the process runs (taken.h), the
 * chunk's `used` contains the packet's owner (enum wire_packet_state). A thread
 * offers a full packet to workers only when the next packet is full, because a
 * stub that was interrupted between claiming and writing a word may still write
 * this word.
 */
#ifndef CLEW_WIRE_PACKET_H
#define CLEW_WIRE_PACKET_H

#include <stdint.h>

#define WIRE_TRACE_SUFFIX ".trace"
/* Size of a packet's chunk, including the header. */
#define WIRE_PACKET_BYTES        65536
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

/*
 * The place of functions on another stack, and of all functions outside these.
 */
#define WIRE_PACKET_ELSEWHERE UINT32_MAX

/* The maximum value of the option that limits a trace to a call depth. */
#define WIRE_PACKET_DEPTH_MAX 200

/* Lengths of items in 32-bit words. The three kinds of tail calls have one. */
#define WIRE_PACKET_TAIL_WORDS             2
#define WIRE_PACKET_STAMP_WORDS            3
#define WIRE_PACKET_MOMENT_WORDS           3
#define WIRE_PACKET_RETURN_WORDS           4
#define WIRE_PACKET_LEFT_WORDS             2
#define WIRE_PACKET_SITE_WORDS             3
#define WIRE_PACKET_SITES_WORDS(functions) (1 + 2 * (uint32_t)(functions))

/* Returns the first word of an item of this kind and length. */
static inline uint32_t wire_packet_odd(enum wire_packet_kind kind,
				       uint32_t words)
{
	return (uint32_t)kind << WIRE_PACKET_PLACE_SHIFT | WIRE_PACKET_ODD |
	       words;
}

/*
 * Returns the depth of the innermost function that stays active when a further
 * function is entered at `place`, by a call (`kind` 0) or a tail call
 * (WIRE_PACKET_TAIL...). places[] contains the places of the active functions
 * by their depth, up to `depth`: the outermost has depth 1, and places[0] is
 * WIRE_PACKET_ELSEWHERE.
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
 * Returns the depth of the innermost function that stays active when the
 * function at `depth` returns. Functions that have jumped to it by tail calls
 * have the same place and return at the same time. If the place is
 * WIRE_PACKET_ELSEWHERE, such functions are not known, and only one function
 * returns.
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

/* The reason why a WIRE_PACKET_BEGIN was written. */
enum wire_packet_cause {
	WIRE_PACKET_FIRST, /* the thread had no packet to continue */
	/* The preceding packet was full: no calls are missing. */
	WIRE_PACKET_FULL,
	/*
	 * The stack no longer matches the calls, contains a call whose word
	 * follows later, or a call's slot is too far from the base.
	 */
	WIRE_PACKET_MOVED,
};

/*
 * The state of a packet, which implies its owner. The packet's thread and
 * workers change it by compare-and-swap, except that a worker that has taken
 * the packet stores WIRE_PACKET_COUNTED with release.
 */
enum wire_packet_state {
	/*
	 * The owner is the thread that writes the packet. Without workers a
	 * packet always has this state.
	 */
	WIRE_PACKET_OWNED,
	/*
	 * No owner. The packet is full, and the first worker that claims it may
	 * count its calls.
	 */
	WIRE_PACKET_OFFERED,
	WIRE_PACKET_TAKEN, /* a worker is counting its calls */
	/*
	 * No owner. The packet's calls are in the file of taken.h, so the
	 * packet may be reused.
	 */
	WIRE_PACKET_COUNTED,
};

/* Why threads no longer wait for workers. */
enum wire_given_up {
	WIRE_WORKERS_AWAITED,
	WIRE_WORKERS_LATE,  /* a thread has waited for the maximum time */
	WIRE_WORKERS_ENDED, /* the workers reported their end */
	/* The workers reported their end because memory is short. */
	WIRE_WORKERS_SHORT,
};

#define WIRE_WORKERS_MAX 64

/*
 * Bits of wire_packet_blocks.keeps: which additional data about calls the trace
 * contains.
 */
#define WIRE_KEEPS_SITES  1U
#define WIRE_KEEPS_VALUES 2U

/*
 * The treatment of a thread's oldest packet when the trace has reached its
 * maximum size and the thread needs a packet.
 */
enum wire_overflow {
	WIRE_OVERFLOW_DROP, /* the packet is reused, and its calls are lost */
	/* The thread first counts the packet's calls in its tally. */
	WIRE_OVERFLOW_PROCESS,
	/* The thread waits until a worker has counted the packet's calls. */
	WIRE_OVERFLOW_WAIT,
	WIRE_OVERFLOW_COUNT
};

/* A context. Consists of 32-bit words, so its alignment is 4 bytes. */
struct wire_packet_begin {
	uint32_t head;
	uint32_t tid;
	/*
	 * Low half, high half: number of this context among all contexts in
	 * packets of its tally, from 1 on.
	 */
	uint32_t sequence[2];
	uint32_t tsc[2]; /* low, high */
	uint32_t id[2];  /* low half, high half: the id of the context */
	uint32_t cause;  /* enum wire_packet_cause */
	/* Number of functions; their numbers follow, then their places. */
	uint32_t functions;
};
_Static_assert(sizeof(struct wire_packet_begin) == 40, "on the wire");

#define WIRE_VALUE_IS_MISSING 1 /* the value could not be read */
/* The value repeats an earlier one of the same call, after a new context. */
#define WIRE_VALUE_IS_AGAIN 2

/*
 * A value that a probe has recorded for an active call: the call that is `out`
 * functions outside of the innermost one at `place`. For a string, `number` is
 * the number of bytes, which follow. Consists of 32-bit words.
 */
struct wire_packet_value {
	uint32_t head;
	uint8_t probe; /* number of the probe; 0 is p1 */
	/*
	 * Index of the value in the probe's fields (struct wire_probe_field).
	 */
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
 * Compares the beginnings of two copies of a packet that were made one after
 * the other. Returns whether the packet was not reused between both.
 */
static inline int wire_packet_is_same(const struct wire_packet_begin *one,
				      const struct wire_packet_begin *other)
{
	return wire_packet_is_begun(one) && wire_packet_is_begun(other) &&
	       one->sequence[0] == other->sequence[0] &&
	       one->sequence[1] == other->sequence[1] && one->tid == other->tid;
}

/* The last word of a complete context, after the places of its functions. */
#define WIRE_PACKET_BEGIN_END UINT32_C(0x646e6521)
#define WIRE_PACKET_BEGIN_WORDS(functions)                                     \
	((uint32_t)(sizeof(struct wire_packet_begin) / 4) + 2 * (functions) + 1)

/*
 * Returns the number of the function with a call's index. `block` is the entry
 * of wire_packet_blocks.blocks for this index and must not be 0.
 */
static inline uint32_t wire_packet_function(uint32_t block, uint32_t index)
{
	return (block - 1) << WIRE_PACKET_BLOCK_LOG2 |
	       (index & ((UINT32_C(1) << WIRE_PACKET_BLOCK_LOG2) - 1));
}

/*
 * The contents of the chunk WIRE_PACKET_BLOCKS. blocks[i] is 1 + the number of
 * the block of 1,024 function numbers to which the indices from 1,024 i on
 * belong; 0: not used. Entries are added and never changed. blocks[0] is never
 * used, so no call's word is 0.
 */
struct wire_packet_blocks {
	_Atomic uint32_t count;
	/*
	 * Number of probe hits whose values are missing in the trace, because
	 * there was no room. Any thread may add to it.
	 */
	_Atomic uint32_t values_lost;
	uint32_t blocks[WIRE_PACKET_BLOCKS_COUNT];
	/* Number of times that functions got no block, so are not hooked. */
	uint32_t refused;
	uint32_t overflow; /* enum wire_overflow */
	/*
	 * Number of packets that were reused although their calls were not
	 * counted. Any thread may add to it.
	 */
	_Atomic uint64_t dropped;
	/*
	 * Number of calls that were removed because they were shorter than
	 * least_ns. Any thread may add to it.
	 */
	_Atomic uint64_t taken_back;
	/* minimum duration of recorded calls; 0 if there is none */
	uint64_t least_ns;
	/*
	 * Number of packets that were reused after their calls were counted in
	 * the part.
	 */
	_Atomic uint64_t counted; /* any thread may store it */
	/*
	 * Number of packets that were reused after a worker had counted their
	 * calls in the file of taken.h.
	 */
	_Atomic uint64_t handed_over; /* any thread may store it */
	/*
	 * How often threads have waited for a worker, and the total time. Any
	 * thread may add to these.
	 */
	_Atomic uint64_t waits, waited_ns;
	/*
	 * Futex words. A thread adds 1 to `filled` for each packet that workers
	 * may take; workers add 1 to `freed` when some packets may be reused.
	 */
	_Atomic uint32_t filled, freed;
	_Atomic uint32_t waiting; /* number of threads that wait */
	/* Number of workers that wait for a change of `filled`. */
	_Atomic uint32_t sleeping;
	/* enum wire_given_up; if not 0, threads do not wait any more */
	_Atomic uint32_t is_given_up;
	uint32_t keeps; /* bits WIRE_KEEPS_SITES, WIRE_KEEPS_VALUES */
};
_Static_assert(sizeof(struct wire_packet_blocks) == 96 + 4 * 4032,
	       "on the wire");

#endif
