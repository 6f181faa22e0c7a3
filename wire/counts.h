/* SPDX-License-Identifier: MIT */
/*
 * Counts and exact times (WIRE_TIME_EXACT) in a recording (recording.h):
 * tallies with their count tables, contexts, and histograms.
 */
#ifndef CLEW_WIRE_COUNTS_H
#define CLEW_WIRE_COUNTS_H

#include <stdint.h>

/* Why calls are counted in a context "(folded)" and not in their own one. */
enum wire_fold {
	WIRE_FOLD_CONTEXTS, /* the maximum number of contexts was recorded */
	WIRE_FOLD_BYTES,    /* the recording reached its maximum size */
	WIRE_FOLD_SPACE,    /* the file could not grow */
	WIRE_FOLD_MEMORY,   /* no memory or address space was left */
	WIRE_FOLD_FILTER,   /* a system call filter prevents growth */
	/* Too little memory was free in the control group or in the system. */
	WIRE_FOLD_GROUP,
	WIRE_FOLD_COUNT
};

/*
 * On average one call in verify_period is verified. The first calls of contexts
 * are few, so that one in WIRE_EARLY_PERIOD of these is verified. Once a tally
 * has WIRE_EARLY_CONTEXTS contexts, whose stacks may be deep, one in
 * WIRE_LATE_PERIOD is verified. A smaller verify_period holds for first calls
 * too.
 */
#define WIRE_EARLY_CONTEXTS 4096
#define WIRE_EARLY_PERIOD   16
#define WIRE_LATE_PERIOD    128

/*
 * Returns N if one of N first calls of contexts is verified on average, or 0 if
 * none is.
 */
static inline uint32_t wire_first_period(uint32_t verify_period, int is_late)
{
	const uint32_t period = is_late ? WIRE_LATE_PERIOD : WIRE_EARLY_PERIOD;

	return verify_period < period ? verify_period : period;
}

/* Why the stack of a verified call could be followed only in part. */
enum wire_partial {
	WIRE_PARTIAL_START, /* the start of the stack is unknown */
	/* The stack exceeds the maximum length of a walk. */
	WIRE_PARTIAL_LENGTH,
	/*
	 * The thread is a child of vfork() before exec, which uses its parent's
	 * memory.
	 */
	WIRE_PARTIAL_BORROWED,
	/* The thread's tally has no record of the context of a caller. */
	WIRE_PARTIAL_RECORD,
	/* A system call filter forbids calls that verification needs. */
	WIRE_PARTIAL_FILTER,
	/* A signal handler interrupted an incomplete update. */
	WIRE_PARTIAL_SIGNAL,
	WIRE_PARTIAL_COUNT = 6
};

/* Results of verifying calls that were drawn at random. */
struct wire_verdicts {
	uint64_t verified;   /* checks in which the whole stack matched */
	uint64_t collisions; /* two contexts have the same id */
	uint64_t diverged;   /* checks in which id and shadow stack differ */
	uint64_t partial[WIRE_PARTIAL_COUNT];
};
_Static_assert(sizeof(struct wire_verdicts) == 72, "on the wire");

/*
 * The header of a tally, at the start of its chunk. Contexts follow up to
 * WIRE_TALLY_TABLE_OFFSET, then the first count table. Only the thread that
 * owns the tally writes to it; other threads store only present_ns and cpu_ns.
 * A reader may see values that are slightly old.
 *
 * If the table must grow, the owner copies it to a new table, stores `table`,
 * zeroes the counts of the old table, and stores `retired`. A stub that was
 * interrupted may still add a count to the old table, so readers add the counts
 * of both.
 */
struct wire_tally {
	_Atomic uint64_t table;   /* wire_table_ref of the count table */
	_Atomic uint64_t retired; /* the previous table, or 0 */
	/* Number of contexts that this tally has recorded. */
	uint64_t contexts;
	uint64_t folded_calls[WIRE_FOLD_COUNT]; /* indexed by enum wire_fold */
	/* Verifications of calls whose context was already recorded. */
	struct wire_verdicts calls;
	/* Verifications of first calls of contexts. */
	struct wire_verdicts firsts;
	/*
	 * With WIRE_TIME_EXACT, the time for which the clocks of the tally's
	 * threads were stopped because they executed slow code of clew.
	 */
	uint64_t paused_ticks;
	/*
	 * WIRE_TIME_EXACT: present_ns is the elapsed time of the tally's
	 * threads, each since it got the tally. cpu_ns is their CPU time, read
	 * at the same moment or slightly earlier. 0: unknown.
	 */
	uint64_t present_ns, cpu_ns;
	/*
	 * The part of `firsts` that was verified once in WIRE_LATE_PERIOD: the
	 * calls with a definite result, and among these the calls whose stack
	 * did not match.
	 */
	uint64_t late_decided, late_wrong;
};
_Static_assert(sizeof(struct wire_tally) == 256, "on the wire");

#define WIRE_TALLY_BYTES        8192
#define WIRE_TALLY_TABLE_OFFSET 4032 /* bytes from the chunk's start */
#define WIRE_TALLY_TABLE_LOG2   8

/*
 * Returns a reference to a count table: the table's file offset, which must be
 * a multiple of 64, and in the low 6 bits the binary logarithm of the number of
 * its entries.
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
 * One entry of a count table. The home of an id is entry (id >> 4) & (entries -
 * 1). If this entry has another id, the search goes to the next entry, and from
 * the last to the first. Id 0 marks an empty entry. WIRE_COUNT_CLAIMED marks an
 * entry that is being filled, or was when the process was killed. One more
 * empty entry follows the last one and is not part of the table.
 */
struct wire_count {
	_Atomic uint64_t id; /* written by the owner, before the first count */
	uint64_t field; /* written by the owner; calls are field & WIRE_CALLS */
};
_Static_assert(sizeof(struct wire_count) == 16, "on the wire");

/*
 * No context has an entry with this id, which is the complement of ID_ROOT:
 * ID_ROOT contains no function that a tail call could enter (wire_tail_id()).
 */
#define WIRE_COUNT_CLAIMED UINT64_MAX

/* Returns whether the entry belongs to a context. */
static inline int wire_is_counted(const struct wire_count *count)
{
	return count->id - UINT64_C(1) < WIRE_COUNT_CLAIMED - 1;
}

/*
 * `field` of a wire_count: the low 48 bits are the number of calls, the high 16
 * bits count down to the next verification of a call (preload/stack/verify.c).
 * One addition of WIRE_CALL_STEP changes both, and sets the carry flag unless
 * the countdown was 0. The number of calls wraps after 2^48 calls of one
 * context in one tally, which take more than ten days.
 */
#define WIRE_CALLS        ((UINT64_C(1) << 48) - 1)
#define WIRE_CALL_STEP    (UINT64_C(1) - (UINT64_C(1) << 48))
#define WIRE_VERIFY_SHIFT 48

/* Returns the home of an id in a table of mask + 1 entries, a power of two. */
static inline uint64_t wire_count_home(uint64_t id, uint64_t mask)
{
	return id >> 4 & mask;
}

static inline uint64_t wire_calls(const struct wire_count *count)
{
	return count->field & WIRE_CALLS;
}

/*
 * WIRE_TIME_EXACT: the measured times of an entry's calls, in ticks of the time
 * stamp counter. The times precede each count table in reverse order, so an
 * entry's index locates its times without the size of the table.
 *
 *	times[n-1] ... times[1] times[0] | entry[0] entry[1] ... entry[n-1]
 *
 * A call is counted when it begins and timed when it ends. In a forked child,
 * the calls that are active at the fork are timed from the fork on, and are not
 * counted again.
 */
struct wire_times {
	uint64_t ended; /* completed calls */
	uint64_t total; /* inclusive time of completed calls */
	/* Self time of completed calls and of some active ones. */
	uint64_t self;
	/*
	 * Least and greatest inclusive time of a completed call. min is 0 if no
	 * call is complete.
	 */
	uint64_t min, max;
	uint64_t histogram; /* used by the library only */
	uint64_t clamped;   /* calls with a negative measured self time */
	/* Inclusive time of the last completed call, which is in no bin yet. */
	uint64_t latest;
};
_Static_assert(sizeof(struct wire_times) == 64, "on the wire");

/* Adds the times `more` to *to, except `histogram` and `latest`. */
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
 * The calls of one function in one tally, by inclusive time. Bin i counts calls
 * that took 2^i to 2^(i+1)-1 measured ticks; bin 0 also counts calls of 0
 * ticks. The histogram of function 0 counts the calls of all functions that got
 * no histogram for want of room. A native method has one histogram for each
 * Java method that calls it. The latest call of a context is added to a bin
 * only when the context's next call ends (stub.S). Readers must add `latest` of
 * each context with completed calls, as at least one tick.
 */
#define WIRE_BINS 64

struct wire_histogram {
	uint32_t function;
	/*
	 * Number of the Java method that calls the native method `function`, in
	 * a WIRE_RANGE_JAVA; 0: all other callers.
	 */
	uint32_t caller;
	uint64_t bins[WIRE_BINS];
};
_Static_assert(sizeof(struct wire_histogram) == 520, "on the wire");

static inline unsigned int wire_bin(uint64_t ticks)
{
	return 63 - (unsigned int)__builtin_clzll(ticks | 1);
}

/*
 * One context. Valid if id is not 0 (stored last, release). If calls of a
 * context are counted in several tallies, each of them has a record of the
 * context, with the same id.
 */
struct wire_context {
	_Atomic uint64_t id;
	/*
	 * Return address of the context's first call, or 0 if it is unknown or
	 * there was no call. May have the flag WIRE_SITE_TAIL.
	 */
	uint64_t site;
	/* Number of the innermost function, or WIRE_FOLDED. */
	uint32_t function;
	/*
	 * Number of functions in the context; 1: the context is the outermost
	 * that the tally knows.
	 */
	uint32_t depth;
};
_Static_assert(sizeof(struct wire_context) == 24, "on the wire");

#define WIRE_SITE_PC ((UINT64_C(1) << 48) - 1)
/* flag: the record is for tail calls */
#define WIRE_SITE_TAIL (UINT64_C(1) << 63)

/*
 * Tail calls (by a jump) of a context are counted separately. A second record
 * of the context has the flag WIRE_SITE_TAIL, the site of the first tail call,
 * and as its id the complement of the context's id. This complement has an
 * entry of its own in the count table. The number of the context's calls is the
 * sum of both entries. The first record has the site of the first call that was
 * no tail call. Times and samples always have the context's own id.
 */
static inline uint64_t wire_tail_id(uint64_t id)
{
	return ~id;
}

static inline int wire_is_tail(const struct wire_context *context)
{
	return (context->site & WIRE_SITE_TAIL) != 0;
}

/* Returns the context's own id, also for a record of tail calls. */
static inline uint64_t wire_context_id(const struct wire_context *context)
{
	return wire_is_tail(context) ? wire_tail_id(context->id) : context->id;
}

/*
 * The function number of contexts "(folded)". Each of these counts the calls
 * below its caller that got no context of their own.
 */
#define WIRE_FOLDED UINT32_MAX

/*
 * A function whose hook was removed for some time to keep a budget. While the
 * hook is removed, calls of the function are not counted, and the calls that it
 * makes are counted below its caller. There is at most one record for each
 * function. clew's own thread updates it in place.
 */
struct wire_left_out {
	uint32_t function; /* the function's number */
	uint32_t times;    /* how often its hook was removed */
	/* CLOCK_REALTIME when the function's hook was removed first. */
	uint64_t first_ns;
	/* CLOCK_REALTIME since which the hook is removed; 0: it is hooked */
	_Atomic uint64_t since_ns;
	uint64_t out_ns; /* total time without the hook, before since_ns */
	/*
	 * Estimated number of calls without the hook, until clew's thread
	 * polled last. Computed from the rates of calls while the function was
	 * hooked.
	 */
	uint64_t missed;
	/*
	 * Calls per second of the program's CPU time before the hook was
	 * removed last.
	 */
	uint64_t per_s;
};
_Static_assert(sizeof(struct wire_left_out) == 48, "on the wire");

/*
 * Returns the estimated number of calls without the hook up to the end of the
 * recording. rest_ns is the CPU time that the program used after clew's thread
 * polled last.
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
