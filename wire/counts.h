/* SPDX-License-Identifier: MIT */
/*
 * Counts and exact times (WIRE_TIME_EXACT) in a recording (recording.h):
 * tallies with their count tables, contexts, and histograms.
 */
#ifndef CLEW_WIRE_COUNTS_H
#define CLEW_WIRE_COUNTS_H

#include <stdint.h>

/* Why calls are counted in "(folded)" and not in a context of their own. */
enum wire_fold {
	WIRE_FOLD_CONTEXTS, /* max_contexts contexts were recorded */
	WIRE_FOLD_BYTES,    /* the recording reached max_bytes */
	WIRE_FOLD_SPACE,    /* the file could not grow */
	WIRE_FOLD_MEMORY,   /* no memory or address space left */
	WIRE_FOLD_FILTER,   /* a system call filter prevents growth */
	/* Too little memory in the control group or in the system. */
	WIRE_FOLD_GROUP,
	WIRE_FOLD_COUNT
};

/*
 * On average one call in verify_period is verified. First calls of contexts are
 * verified more often, because there are few. Once a tally has many contexts,
 * whose stacks may be deep, first calls are verified less often (the late
 * period).
 */
#define WIRE_EARLY_CONTEXTS 16384
#define WIRE_EARLY_PERIOD   16
#define WIRE_LATE_PERIOD    128

/* Returns N if one new context in N is verified; 0: none. */
static inline uint32_t wire_first_period(uint32_t verify_period, int is_late)
{
	const uint32_t period = is_late ? WIRE_LATE_PERIOD : WIRE_EARLY_PERIOD;

	return verify_period < period ? verify_period : period;
}

/* Why the stack of a verified call could be followed only in part. */
enum wire_partial {
	WIRE_PARTIAL_START, /* the start of this stack is unknown */
	/* The stack exceeds the maximum length of a walk. */
	WIRE_PARTIAL_LENGTH,
	WIRE_PARTIAL_BORROWED, /* in a child that uses this memory, before exec */
	WIRE_PARTIAL_RECORD,   /* a caller has no record of this thread */
	/* A system call filter forbids calls that verification needs. */
	WIRE_PARTIAL_FILTER,
	/* A signal handler interrupted an incomplete update. */
	WIRE_PARTIAL_SIGNAL,
	WIRE_PARTIAL_COUNT = 6
};

/* Results for calls drawn at random, all with the same probability. */
struct wire_verdicts {
	uint64_t verified;   /* the whole stack matched */
	uint64_t collisions; /* two contexts have the same id */
	uint64_t diverged;   /* id and shadow stack differ */
	uint64_t partial[WIRE_PARTIAL_COUNT];
};
_Static_assert(sizeof(struct wire_verdicts) == 72, "on the wire");

/*
 * The header of a tally, at the start of its chunk. Contexts follow until
 * table_offset, then the first count table. Only the owner writes it, except
 * `table` and `retired`; a reader may see values that are slightly old.
 *
 * When the table must grow the owner copies it to a new table, stores `table`,
 * zeroes the old counts and stores `retired`. An interrupted call may still add
 * a count to the old table, so readers read both.
 */
struct wire_tally {
	_Atomic uint64_t table;   /* wire_table_ref of the count table */
	_Atomic uint64_t retired; /* the previous table, or 0 */
	uint64_t contexts;        /* recorded here */
	uint64_t folded_calls[WIRE_FOLD_COUNT]; /* by cause */
	struct wire_verdicts calls;  /* of contexts recorded before */
	struct wire_verdicts firsts; /* first calls of contexts */
	/* WIRE_TIME_EXACT: time that clew's slow paths took in its threads. */
	uint64_t paused_ticks;
	/*
	 * WIRE_TIME_EXACT: elapsed time of its threads since the first call of
	 * each, and their CPU time, read at the same moment or slightly
	 * earlier. 0: unknown.
	 */
	uint64_t present_ns, cpu_ns;
	/*
	 * The part of `firsts` in late contexts: calls with a definite result,
	 * and calls whose stack did not match.
	 */
	uint64_t late_decided, late_wrong;
};
_Static_assert(sizeof(struct wire_tally) == 256, "on the wire");

#define WIRE_TALLY_BYTES        8192
#define WIRE_TALLY_TABLE_OFFSET 4032 /* from the chunk's start */
#define WIRE_TALLY_TABLE_LOG2   8

/*
 * A reference to a count table: file offset (a multiple of 64) and log2 of the
 * number of entries.
 */
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
 * One count. The home of an id is entry (id >> 4) & (entries - 1). A collision
 * goes to the next entry, and from the last to the first. Id 0 marks an empty
 * entry, WIRE_COUNT_CLAIMED one that is being filled; a killed process may
 * leave it claimed. One more empty entry follows the last and is not part of
 * the table.
 */
struct wire_count {
	_Atomic uint64_t id; /* written by the owner, before the first count */
	uint64_t field; /* written by the owner; calls are field & WIRE_CALLS */
};
_Static_assert(sizeof(struct wire_count) == 16, "on the wire");

/*
 * No context has this id: it is the id of tail calls of the root, which has no
 * caller.
 */
#define WIRE_COUNT_CLAIMED UINT64_MAX

/* Returns whether the entry belongs to a context. */
static inline int wire_is_counted(const struct wire_count *count)
{
	return count->id - UINT64_C(1) < WIRE_COUNT_CLAIMED - 1;
}

/*
 * The high 16 bits of a field count down to the next verification of a call
 * (preload/stack/verify.c), so that one addition changes both. The addition
 * carries as long as the countdown is not 0. The calls wrap after 2^48 calls of
 * one context by one thread: ten days of nothing else.
 */
#define WIRE_CALLS        ((UINT64_C(1) << 48) - 1)
#define WIRE_CALL_STEP    (UINT64_C(1) - (UINT64_C(1) << 48))
#define WIRE_VERIFY_SHIFT 48

static inline uint64_t wire_calls(const struct wire_count *count)
{
	return count->field & WIRE_CALLS;
}

/*
 * WIRE_TIME_EXACT: the measured times of an entry's calls, in ticks of the time
 * stamp counter. The times precede each count table in reverse order, so an
 * entry's index locates them whatever the size of the table:
 *
 *	times[n-1] ... times[1] times[0] | entry[0] entry[1] ... entry[n-1]
 *
 * A call is counted when it begins and timed when it ends. In a forked child
 * the active calls begin anew without being counted.
 */
struct wire_times {
	uint64_t ended; /* completed calls */
	uint64_t total; /* inclusive time of completed calls */
	/* Self time of completed calls and of some active ones. */
	uint64_t self;
	uint64_t min, max; /* inclusive time of one call; 0: none is complete */
	uint64_t histogram; /* private to the library */
	uint64_t clamped;   /* calls with a negative measured self time */
	uint64_t latest;    /* inclusive time of a call that is in no bin yet */
};
_Static_assert(sizeof(struct wire_times) == 64, "on the wire");

/* Adds everything except `histogram` and `latest`. */
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
 * Calls of one function in one tally by inclusive time. Bin i counts calls that
 * took 2^i to 2^(i+1)-1 measured ticks; bin 0 also counts those with 0 ticks.
 * The histogram of function 0 has the functions that found no room. A native
 * method has one histogram for each Java method that calls it. A context's
 * latest call, counted with at least one tick, enters its bin with the next
 * call (stub.S); readers must add the last one.
 */
#define WIRE_BINS 64

struct wire_histogram {
	uint32_t function;
	uint32_t caller; /* in a WIRE_RANGE_JAVA; 0: any other caller */
	uint64_t bins[WIRE_BINS];
};
_Static_assert(sizeof(struct wire_histogram) == 520, "on the wire");

static inline unsigned int wire_bin(uint64_t ticks)
{
	return 63 - (unsigned int)__builtin_clzll(ticks | 1);
}

/*
 * One context. Valid if id is not 0 (stored last, release). A context that
 * several tallies have seen has one record in each, with the same id.
 */
struct wire_context {
	_Atomic uint64_t id;
	uint64_t site;     /* return address of its first call, and flags */
	uint32_t function; /* its number, or WIRE_FOLDED */
	uint32_t depth;    /* 1: the outermost function that its tally knows */
};
_Static_assert(sizeof(struct wire_context) == 24, "on the wire");

#define WIRE_SITE_PC   ((UINT64_C(1) << 48) - 1)
#define WIRE_SITE_TAIL (UINT64_C(1) << 63) /* tail calls: see below */

/*
 * Tail calls (by a jump) are counted separately. A second record of their
 * context has WIRE_SITE_TAIL, the site of the first tail call, and the
 * complement of the id, which has its own entry in the table. The context's
 * calls are the sum of both. The site of the first other call is in the record
 * with the plain id; times and samples refer to the plain id only.
 */
static inline uint64_t wire_tail_id(uint64_t id)
{
	return ~id;
}

static inline int wire_is_tail(const struct wire_context *context)
{
	return (context->site & WIRE_SITE_TAIL) != 0;
}

/* Returns the id that all records of the context share. */
static inline uint64_t wire_context_id(const struct wire_context *context)
{
	return wire_is_tail(context) ? wire_tail_id(context->id) : context->id;
}

/* The function of the records that count folded calls below a context. */
#define WIRE_FOLDED UINT32_MAX

/*
 * A function whose hook was removed for some time to keep a budget. The calls
 * that it made meanwhile were counted below its caller. One record for each
 * function, updated in place by clew's own thread. Times are CLOCK_REALTIME.
 */
struct wire_left_out {
	uint32_t function;         /* the function's number */
	uint32_t times;            /* how often its hook was removed */
	uint64_t first_ns;         /* when its hook was removed first */
	_Atomic uint64_t since_ns; /* hook removed since then; 0: hooked */
	uint64_t out_ns; /* total time without the hook, before since_ns */
	/*
	 * Estimated calls in all that time, including the current period: from
	 * the rates before and after it, updated each time clew's thread polls
	 * (wire_missed()).
	 */
	uint64_t missed;
	/*
	 * Calls per second of the program's CPU time, before the latest
	 * removal.
	 */
	uint64_t per_s;
};
_Static_assert(sizeof(struct wire_left_out) == 48, "on the wire");

/*
 * Returns `missed` at the end of the recording, when the program has used
 * rest_ns of CPU time since that thread polled last.
 */
static inline uint64_t wire_missed(const struct wire_left_out *left,
				   uint64_t rest_ns)
{
	return left->missed + (left->since_ns
				       ? (uint64_t)((double)left->per_s * 1e-9 *
						    (double)rest_ns)
				       : 0);
}

#endif
