/* SPDX-License-Identifier: MIT */
/*
 * What every report says below its table: how much was hooked, how sure the
 * counts are, and what was folded, lost or damaged.
 */
#ifndef CLEW_VIEW_SUMMARY_H
#define CLEW_VIEW_SUMMARY_H

#include <stdint.h>

#include "report/merge/merge.h"
#include "report/model/confidence.h"
#include "report/model/verdicts.h"
#include "report/recording/recording_reader.h"
#include "report/view/coverage.h"

#define SUMMARY_LOOPING_MAX 16 /* are named */

/* Wall time between the time stamps of a trace. Recordings have no such number. */
#define SUMMARY_TIME_TRACE ((enum wire_time)(WIRE_TIME_EXACT + 1))

/* Java stacks that were new, so that the machine was asked who calls. */
struct asked_stacks {
	uint64_t count, ns;
	uint64_t composed;              /* of these, so that it was not */
	uint64_t verified, mismatched;  /* as struct wire_header has it */
	uint64_t when[WIRE_ASKED_BINS]; /* as struct wire_header has it */
};

/* What clew was to cost at most, and what was left out for that. */
struct summary_budget {
	uint32_t
		thousandths; /* of CPU time, of any process; 0: there is none */
	uint64_t cpu_ns, cost_ns; /* that was seen, and clew's, as estimated */
	uint64_t call_ps;         /* that a call was taken for */
	uint64_t functions;       /* that were left out for some of the time */
	uint64_t exact_calls;     /* of the others; of the tree */
	uint64_t missed_calls;    /* of those, estimated */
};

struct summary {
	uint64_t calls; /* of the tree, so of whoever was selected */
	uint64_t contexts;
	uint64_t processes;
	uint64_t threads;
	uint64_t follow_ups;   /* see merge.h */
	uint64_t strays;       /* see merge.h */
	uint64_t max_contexts; /* the least limit of any process */
	uint64_t max_bytes;    /* likewise, of what one may take; 0: none */
	uint64_t folded_calls;
	uint64_t folds[WIRE_FOLD_COUNT]; /* the same, by cause */
	uint64_t lost_calls[WIRE_LOSS_COUNT];
	uint64_t trap_hits;
	struct packet_waits waits;
	enum wire_time time; /* how it was taken, by the first part that did */
	uint32_t rate_hz;    /* of samples that were asked for */
	/* By the CPU clock: threads that had a finer one than the tick. */
	uint64_t fine_threads;
	enum wire_coarse coarse; /* why others had none, by the last part */
	uint64_t time_ns;        /* of the tree, like calls */
	uint64_t samples;
	double squares_ns2; /* of the times that they stand for, summed */
	uint64_t unseen_ns; /* what may be of a function that none met (95 %) */
	uint64_t clew_ns, clew_samples; /* what clew took, shown or not */
	uint64_t unsampled_ns, unsampled_threads; /* threads without samples */
	/* SUMMARY_TIME_TRACE: of all threads; of these, calls between stamps share. */
	uint64_t trace_ns, divided_ns;
	uint64_t watch_ns; /* of CPU time, in a thread of its own */
	int shows_clew;    /* as time of the tree */
	uint64_t hook_ns;  /* before main, over all processes */
	uint64_t
		ran_ns; /* by the clock, of the longest process that is known */
	uint64_t recorded_bytes;
	uint64_t lost_samples[WIRE_SAMPLE_LOSS_COUNT];
	struct verdicts calls_verified, contexts_verified;
	struct verdicts stacks_verified; /* of Java */
	uint64_t jumped_functions;       /* as struct wire_header has them */
	int folds_recursion;             /* in some process */
	int is_in_place; /* calls of Java's compiled code (--java=inplace) */
	struct asked_stacks asked;
	uint64_t frozen_natives; /* calls: as struct wire_header has it */
	struct sample_places places;
	struct measure natives; /* methods of Java, with all that they call */
	uint64_t hooked_modules;
	struct coverage coverage; /* of hooked modules */
	/* Functions that were called and are in doubt: catalog_loops(). */
	uint64_t looping;
	uint32_t looping_some[SUMMARY_LOOPING_MAX]; /* in the catalog */
	struct summary_budget budget;
};

/* Zero-initialised, it is given each part, and then what they were merged to. */
void summary_add_part(struct summary *summary, const struct part_copy *part);
void summary_finish(struct summary *summary, const struct recording *recording,
		    struct catalog *catalog, const struct tree *tree,
		    const struct merged *merged);

/* The number of samples that were taken, without those of "(unsampled)". */
static inline uint64_t summary_taken(const struct summary *summary)
{
	return summary->samples > summary->unsampled_threads
		       ? summary->samples - summary->unsampled_threads
		       : 0;
}

/*
 * Samples a second of their time that there really were: a kernel looks at
 * CPU timers only when it ticks, and where it permits a finer clock, that is for
 * time in the program. 0 without samples.
 */
uint64_t summary_rate_hz(const struct summary *summary);

/*
 * Between which shares of all the own time of a row lies (95 %), of so many
 * samples; and that of a row with all that is below it, where samples of the
 * program's time and of the kernel's are mixed, as they are in the whole.
 */
struct share_interval summary_own_share(const struct summary *summary,
					uint64_t ns, uint64_t samples);
struct share_interval summary_total_share(const struct summary *summary,
					  uint64_t ns, uint64_t samples);

/* By when, in ms since the machine was ready, half of those had been asked for. */
uint64_t summary_asked_half_ms(const struct summary *summary);

/* Whether there are samples, or might have been. */
static inline int summary_is_sampled(const struct summary *summary)
{
	return summary->time == WIRE_TIME_CPU ||
	       summary->time == WIRE_TIME_WALL;
}

/*
 * Whether calls between two stamps of a trace share nearly all of the time equally: then the
 * time of one function is a guess.
 */
static inline int summary_is_guess(const struct summary *summary)
{
	return summary->time == SUMMARY_TIME_TRACE &&
	       summary->divided_ns > summary->trace_ns / 20;
}

/* What the time is of: "CPU time, sampled at each thread's clock"... */
const char *time_text(enum wire_time time);

const char *loss_text(unsigned int loss);

/* Why there was no finer clock than the tick. */
const char *coarse_text(unsigned int coarse);

/* Why so many calls fold: "beyond the limit of 1,000 contexts", for example. */
struct fold_text {
	char text[128];
};
struct fold_text fold_text(const struct summary *summary, unsigned int cause);

/* What stands behind the number, for example "samples are missing: why". */
const char *sample_loss_text(unsigned int loss);

#endif
