/* SPDX-License-Identifier: MIT */
/*
 * Data of the footer that every report prints below its table: coverage, error
 * bounds of counts, and what was folded, lost or damaged.
 */
#ifndef CLEW_VIEW_SUMMARY_H
#define CLEW_VIEW_SUMMARY_H

#include <stdint.h>

#include "report/merge/merge.h"
#include "report/model/confidence.h"
#include "report/model/verdicts.h"
#include "report/recording/recorded_times.h"
#include "report/recording/recording_reader.h"
#include "report/view/coverage.h"

#define SUMMARY_LOOPING_MAX 16 /* maximum number of functions that are named */

/*
 * Wall time between the time stamps of a trace. Recordings do not use this
 * value.
 */
#define SUMMARY_TIME_TRACE ((enum wire_time)(WIRE_TIME_EXACT + 1))

/*
 * Java stacks that were new, so that clew requested their callers from the JVM.
 */
struct asked_stacks {
	uint64_t count, ns;
	uint64_t composed; /* composed from known frames, without a request */
	uint64_t verified, mismatched;  /* numbers as in struct wire_header */
	uint64_t when[WIRE_ASKED_BINS]; /* numbers as in struct wire_header */
};

/*
 * The budget for clew's cost, and the functions that were not counted because
 * of it.
 */
struct summary_budget {
	/*
	 * The largest budget of any process, in thousandths of CPU time. 0 if
	 * no process has a budget.
	 */
	uint32_t thousandths;
	/* observed CPU time, and clew's estimated share */
	uint64_t cpu_ns, cost_ns;
	uint64_t call_ps; /* assumed cost of a call, in picoseconds */
	/* functions that were not counted for some of the time */
	uint64_t functions;
	uint64_t exact_calls; /* calls of all other functions in the tree */
	/*
	 * Estimated uncounted calls of these functions, and the number of
	 * surveys of their calls in all processes.
	 */
	uint64_t missed_calls, surveys;
};

/*
 * The estimate of a smaller number of surveys is rough. In a program with
 * phases the calls of surveys have a standard deviation of up to twice their
 * mean, so the standard error of fifty surveys is about a quarter.
 */
#define SUMMARY_SURVEYS_ENOUGH 50

struct summary {
	struct recorded_times times; /* of all parts */
	/* sums of the tree, which contains only the selected threads */
	uint64_t calls;
	uint64_t contexts;
	uint64_t processes;
	uint64_t threads;
	uint64_t follow_ups;   /* as in struct merged (merge.h) */
	uint64_t strays;       /* as in struct merged (merge.h) */
	uint64_t max_contexts; /* the smallest limit of any process */
	/*
	 * the smallest limit of any process in bytes; 0 if no process has a
	 * limit
	 */
	uint64_t max_bytes;
	uint64_t folded_calls;
	uint64_t folds[WIRE_FOLD_COUNT]; /* folded calls by cause */
	uint64_t lost_calls[WIRE_LOSS_COUNT];
	uint64_t trap_hits;
	struct packet_waits waits;
	/* kind of time, from the first part that has any */
	enum wire_time time;
	uint32_t rate_hz; /* requested rate of samples */
	/*
	 * With the CPU clock, the number of threads that have a finer clock
	 * than the kernel's tick.
	 */
	uint64_t fine_threads;
	/*
	 * Why some thread has no finer clock, according to the last part that
	 * states a reason.
	 */
	enum wire_coarse coarse;
	uint64_t time_ns; /* time of the tree */
	uint64_t samples;
	/* sum of the squares of the samples' times, in square nanoseconds */
	double squares_ns2;
	/* upper bound (95 %) for a function without samples */
	uint64_t unseen_ns;
	/* cost of clew itself, whether it is shown or not */
	uint64_t clew_ns, clew_samples;
	/* time and number of threads without samples */
	uint64_t unsampled_ns, unsampled_threads;
	/*
	 * With SUMMARY_TIME_TRACE, the time of all threads, and the part of it
	 * that was divided among the calls between two stamps.
	 */
	uint64_t trace_ns, divided_ns;
	uint64_t watch_ns; /* CPU time of clew's own thread */
	int shows_clew; /* whether the tree contains the time of clew itself */
	/* time of hooking before main(), the sum of all processes */
	uint64_t hook_ns;
	/*
	 * The longest wall time between the first and the latest recorded
	 * moment of a part.
	 */
	uint64_t ran_ns;
	uint64_t recorded_bytes;
	uint64_t lost_samples[WIRE_SAMPLE_LOSS_COUNT];
	struct verdicts calls_verified, contexts_verified;
	struct verdicts stacks_verified; /* verifications of Java stacks */
	uint64_t jumped_functions;       /* numbers as in struct wire_header */
	/*
	 * whether recursion was folded in any process, and beyond how many
	 * contexts of a thread there (0: from the start)
	 */
	int folds_recursion;
	uint64_t fold_beyond;
	/* whether calls of compiled Java code were counted (--java=inplace) */
	int is_in_place;
	struct asked_stacks asked;
	uint64_t frozen_natives; /* number of calls, as in struct wire_header */
	struct sample_places places;
	/* Java's native methods, including their callees */
	struct measure natives;
	uint64_t hooked_modules;
	struct coverage coverage; /* coverage of hooked modules */
	/*
	 * Number of called functions with uncertain counts (catalog_loops()).
	 */
	uint64_t looping;
	uint32_t looping_some[SUMMARY_LOOPING_MAX]; /* indices in the catalog */
	struct summary_budget budget;
	/*
	 * Whether a part was written by clew import. import_format and
	 * import_flags are those of the first such part.
	 */
	int is_imported;
	enum wire_import_format import_format;
	uint32_t import_flags;
	/* whether the calls of an imported part are unknown */
	int has_unknown_calls;
};

/*
 * The caller sets the summary to zeros, adds each part, and then finishes it
 * with the merged tree.
 */
void summary_add_part(struct summary *summary, const struct part_copy *part);
void summary_finish(struct summary *summary, const struct recording *recording,
		    struct catalog *catalog, const struct tree *tree,
		    const struct merged *merged);

/*
 * Limits calls, contexts, time and samples, and the errors of time, to those of
 * a tree, which contains a part of the recording. All other members describe
 * the whole recording.
 */
void summary_narrow(struct summary *summary, const struct tree *tree);

/* Returns the number of samples without those of "(unsampled)". */
static inline uint64_t summary_taken(const struct summary *summary)
{
	return summary->samples > summary->unsampled_threads
		       ? summary->samples - summary->unsampled_threads
		       : 0;
}

/*
 * Returns the actual samples per second of sampled time. A kernel checks CPU
 * timers only at its ticks, and a finer clock, if permitted, covers only time
 * in the program. 0 without samples.
 */
uint64_t summary_rate_hz(const struct summary *summary);

/*
 * Return the 95 % interval of a row's share of all time, given its samples: of
 * its own time, or of its total time. The latter mixes samples of the program
 * and the kernel as the whole recording does.
 */
struct share_interval summary_own_share(const struct summary *summary,
					uint64_t ns, uint64_t samples);
struct share_interval summary_total_share(const struct summary *summary,
					  uint64_t ns, uint64_t samples);

/*
 * Returns the time, in ms since the JVM was ready, by which half of the
 * requested stacks had been requested, rounded up to a power of two.
 */
uint64_t summary_asked_half_ms(const struct summary *summary);

/* Returns whether time was sampled. */
static inline int summary_is_sampled(const struct summary *summary)
{
	return summary->time == WIRE_TIME_CPU ||
	       summary->time == WIRE_TIME_WALL;
}

/*
 * Returns whether calls between two stamps of a trace share nearly all of the
 * time equally. The time of one function is then a guess.
 */
static inline int summary_is_guess(const struct summary *summary)
{
	return summary->time == SUMMARY_TIME_TRACE &&
	       summary->divided_ns > summary->trace_ns / 20;
}

/* Returns the kind of time as text, such as "CPU time, estimated". */
const char *time_text(enum wire_time time);

/*
 * Returns the kind of time in one word, for files that programs read: "none",
 * "cpu", "wall", "exact" or "trace"; "unknown" for the kind of a damaged
 * recording.
 */
const char *time_word(enum wire_time time);

const char *loss_text(unsigned int loss);

/* Returns why there was no finer clock than the tick. */
const char *coarse_text(unsigned int coarse);

/* Returns why calls fold, for example "beyond the limit of 1,000 contexts". */
struct fold_text {
	char text[128];
};
struct fold_text fold_text(const struct summary *summary, unsigned int cause);

/* Returns the text after a number, for example "samples are missing: why". */
const char *sample_loss_text(unsigned int loss);

#endif
