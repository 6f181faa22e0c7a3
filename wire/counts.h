/* SPDX-License-Identifier: MIT */
/*
 * What was counted, and measured with WIRE_TIME_EXACT, in a recording
 * (recording.h): tallies with their count tables, contexts, and histograms.
 */
#ifndef CLEW_WIRE_COUNTS_H
#define CLEW_WIRE_COUNTS_H

#include <stdint.h>

/* Why calls stand under "(folded)" and not in a context of their own. */
enum wire_fold {
	WIRE_FOLD_CONTEXTS, /* max_contexts of them were recorded */
	WIRE_FOLD_BYTES,    /* what is recorded took max_bytes */
	WIRE_FOLD_SPACE,    /* the file could not grow */
	WIRE_FOLD_MEMORY,   /* there was no memory, or address space, for it */
	WIRE_FOLD_FILTER,   /* behind a system call filter it cannot grow */
	WIRE_FOLD_GROUP, /* the control group, or the machine, has too little memory */
	WIRE_FOLD_COUNT
};

/*
 * Of known contexts one call in verify_period is verified, on average. Of new ones
 * more are, as there are few; of those that a tally gets when it has many already,
 * which may be on deep stacks, not as many.
 */
#define WIRE_EARLY_CONTEXTS 16384
#define WIRE_EARLY_PERIOD   16
#define WIRE_LATE_PERIOD    128

/* One new context in so many is verified; 0: none. */
static inline uint32_t wire_first_period(uint32_t verify_period, int is_late)
{
	const uint32_t period = is_late ? WIRE_LATE_PERIOD : WIRE_EARLY_PERIOD;

	return verify_period < period ? verify_period : period;
}

/* Why a call agreed with the stack only as far as that could be followed. */
enum wire_partial {
	WIRE_PARTIAL_START,    /* nobody knows who began this stack */
	WIRE_PARTIAL_LENGTH,   /* it is longer than what is looked at */
	WIRE_PARTIAL_BORROWED, /* in a child on this memory, before it execs */
	WIRE_PARTIAL_RECORD,   /* a caller is not in this thread's records */
	WIRE_PARTIAL_FILTER, /* system calls are filtered, looking needs some */
	WIRE_PARTIAL_SIGNAL, /* in a handler on top of what is half-way */
	WIRE_PARTIAL_COUNT = 6
};

/* Of calls that were drawn at random, each as likely as any other. */
struct wire_verdicts {
	uint64_t verified;   /* the whole stack agreed */
	uint64_t collisions; /* two contexts with one id */
	uint64_t diverged;   /* id and shadow stack disagreed */
	uint64_t partial[WIRE_PARTIAL_COUNT];
};
_Static_assert(sizeof(struct wire_verdicts) == 72, "on the wire");

/*
 * A tally's head, first in its chunk. Contexts follow it up to table_offset,
 * then its first count table. All but `table` and `retired` are written by the
 * owner alone, and a reader may find them an instant old.
 *
 * When the table has outgrown itself the owner copies it to a new one, stores
 * `table`, zeroes the old counts and stores `retired`. A count that an
 * interrupted call still adds there is found by whoever reads both.
 */
struct wire_tally {
	_Atomic uint64_t table;   /* wire_table_ref of the count table */
	_Atomic uint64_t retired; /* the one before it, or 0 */
	uint64_t contexts;        /* recorded here */
	uint64_t folded_calls[WIRE_FOLD_COUNT]; /* by cause */
	struct wire_verdicts calls;  /* of contexts that were known */
	struct wire_verdicts firsts; /* the first call of a context each */
	/* WIRE_TIME_EXACT: of its threads' time, what clew's slow paths took */
	uint64_t paused_ticks;
	/*
	 * The same: how long its threads were there, from the first call of each
	 * on, and the CPU time that they had, of one moment; an instant older at
	 * worst. 0: unknown.
	 */
	uint64_t present_ns, cpu_ns;
	/* Of firsts, those of late contexts that are verified or wrong. */
	uint64_t late_decided, late_wrong;
};
_Static_assert(sizeof(struct wire_tally) == 256, "on the wire");

#define WIRE_TALLY_BYTES        8192
#define WIRE_TALLY_TABLE_OFFSET 4032 /* from the chunk's start */
#define WIRE_TALLY_TABLE_LOG2   8

/* A count table by file offset (a multiple of 64) and log2 of its entries. */
static inline uint64_t wire_table_ref(uint64_t offset, unsigned int log2)
{
	return offset | log2;
}

static inline uint64_t wire_table_offset(uint64_t ref)
{
	return ref & ~UINT64_C(63);
}

static inline unsigned int wire_table_log2(uint64_t ref)
{
	return ref & 63;
}

/*
 * One count. The home of an id is entry (id >> 4) & (entries - 1), collisions
 * go to the next entry, round the end. id 0 is an empty entry, and one that is
 * being filled is claimed; a killed process may leave it so. One more empty entry
 * stands behind the last and is not part of the table.
 */
struct wire_count {
	_Atomic uint64_t id; /* owner; its own before the first count */
	uint64_t field;      /* owner; calls are field & WIRE_CALLS */
};
_Static_assert(sizeof(struct wire_count) == 16, "on the wire");

/* No context's id: that of tail calls of the root, which nobody calls. */
#define WIRE_COUNT_CLAIMED UINT64_MAX

/* Whether an entry is some context's. */
static inline int wire_is_counted(const struct wire_count *count)
{
	return count->id - UINT64_C(1) < WIRE_COUNT_CLAIMED - 1;
}

/*
 * The high 16 bits of a field count down to the next verification of a call
 * (preload/stack/verify.c), so that one addition does both: it carries as long as
 * there is something left to count down. 2^48 calls of one context by one
 * thread are ten days of nothing else.
 */
#define WIRE_CALLS        ((UINT64_C(1) << 48) - 1)
#define WIRE_CALL_STEP    (UINT64_C(1) - (UINT64_C(1) << 48))
#define WIRE_VERIFY_SHIFT 48

static inline uint64_t wire_calls(const struct wire_count *count)
{
	return count->field & WIRE_CALLS;
}

/*
 * WIRE_TIME_EXACT: how long the calls of an entry took, in ticks of the time
 * stamp counter, as measured. Every count table has these in front of it,
 * backwards, so that with an entry its times are found whatever the table's
 * size:
 *
 *	times[n-1] ... times[1] times[0] | entry[0] entry[1] ... entry[n-1]
 *
 * A call is counted when it begins and timed when it ends; in a forked child
 * the calls that it is in begin anew, without being counted.
 */
struct wire_times {
	uint64_t ended;     /* calls */
	uint64_t total;     /* of these: inclusive time */
	uint64_t self;      /* of these and of some that have not ended */
	uint64_t min, max;  /* inclusive, of one call; 0: none has ended */
	uint64_t histogram; /* the runtime's own */
	uint64_t clamped;   /* calls that had less than no time of their own */
	uint64_t latest;    /* inclusive, of one call that is in no bin yet */
};
_Static_assert(sizeof(struct wire_times) == 64, "on the wire");

/* Adds what can be added: all but `histogram` and `latest`. */
static inline void wire_times_add(struct wire_times *to,
				  const struct wire_times *more)
{
	to->ended += more->ended;
	to->total += more->total;
	to->self += more->self;
	to->clamped += more->clamped;
	if (more->min && (!to->min || more->min < to->min))
		to->min = more->min;
	if (more->max > to->max)
		to->max = more->max;
}

/*
 * Calls of one function in one tally by their inclusive time: bin i counts those
 * that took 2^i to 2^(i+1)-1 ticks, as measured; bin 0 has 0, too. Those of
 * functions that found no room are together in that of function 0. A native that
 * Java calls has one for each method that calls it. A context's
 * latest call, taken for one tick at least, gets into its bin with the next one
 * (stub.S); until then it is for the reader to add it.
 */
#define WIRE_BINS 64

struct wire_histogram {
	uint32_t function;
	uint32_t
		caller; /* Java's, in a WIRE_RANGE_JAVA; 0: whoever else calls */
	uint64_t bins[WIRE_BINS];
};
_Static_assert(sizeof(struct wire_histogram) == 520, "on the wire");

static inline unsigned int wire_bin(uint64_t ticks)
{
	return 63 - (unsigned int)__builtin_clzll(ticks | 1);
}

/*
 * One context. Valid once id is not 0 (stored last, release). A context that
 * several tallies met has a record in each, with the same id.
 */
struct wire_context {
	_Atomic uint64_t id;
	uint64_t site;     /* return address of its first call, and flags */
	uint32_t function; /* number, or WIRE_FOLDED */
	uint32_t depth;    /* 1 for the outermost that its tally knows */
};
_Static_assert(sizeof(struct wire_context) == 24, "on the wire");

#define WIRE_SITE_PC   ((UINT64_C(1) << 48) - 1)
#define WIRE_SITE_TAIL (UINT64_C(1) << 63) /* of tail calls: see below */

/*
 * Calls that a function makes by jumping, its last ones, are counted apart: a
 * second record of their context has WIRE_SITE_TAIL, the site of the first of
 * them and the complement of its id, which has an entry of its own in the table.
 * The context's calls are the sum of both; its first call's site is in the
 * record with its own id, and times and samples know that id only.
 */
static inline uint64_t wire_tail_id(uint64_t id)
{
	return ~id;
}

static inline int wire_is_tail(const struct wire_context *context)
{
	return (context->site & WIRE_SITE_TAIL) != 0;
}

/* The id that a context's records have in common. */
static inline uint64_t wire_context_id(const struct wire_context *context)
{
	return wire_is_tail(context) ? wire_tail_id(context->id) : context->id;
}

/* Stands below a context for the calls that found no room of their own. */
#define WIRE_FOLDED UINT32_MAX

/*
 * A function that was not counted for some of the time, to keep a budget: its hook
 * was taken out, and what it called stood below its caller meanwhile. One for each
 * function, changed in place by clew's own thread. Times are CLOCK_REALTIME.
 */
struct wire_left_out {
	uint32_t function;         /* its number */
	uint32_t times;            /* that it was left out */
	uint64_t first_ns;         /* when it was for the first time */
	_Atomic uint64_t since_ns; /* it is since then; 0: it is counted */
	uint64_t out_ns;           /* how long it was, before that */
	/*
	 * Calls in all that time, the last included: estimated by those before and
	 * after it, as often as clew's thread looks (wire_missed()).
	 */
	uint64_t missed;
	/* Calls a second of the program's own CPU time, before it was left out last */
	uint64_t per_s;
};
_Static_assert(sizeof(struct wire_left_out) == 48, "on the wire");

/* The same at the end, so much CPU time of the program after that thread's last look. */
static inline uint64_t wire_missed(const struct wire_left_out *left,
				   uint64_t rest_ns)
{
	return left->missed + (left->since_ns
				       ? (uint64_t)((double)left->per_s * 1e-9 *
						    (double)rest_ns)
				       : 0);
}

#endif
