/* SPDX-License-Identifier: MIT */
/*
 * Decides when a thread is observed, and how much time an observation stands
 * for.
 *
 * Time is divided into ticks of one period. Each tick has one random instant at
 * which threads can be observed; regular instants could coincide with regular
 * behaviour of the program. For each thread, time is divided into strata of
 * 2^level ticks. The thread is observed in one random tick of a stratum, and
 * this observation stands for the whole stratum.
 *
 *	ticks       |   x   |x      |      x|    x  |  x    |x      | ...
 *	stratum     +-------x-------+-------x-------+---------------x----
 *	of level            0               0                1
 *
 * Each moment of a stratum has the same chance to be observed, so sums are
 * right on average, whatever the thread does (stratified sampling). The length
 * of a stratum may depend only on observations before it began. Therefore the
 * strata of a thread that has waited long become longer (up to a 32nd of its
 * wait), and the strata of all threads if observing costs too much.
 *
 * Strata begin at multiples of their length, so that the watch wakes up once
 * for many threads, since waking up costs most. If all strata are long, groups
 * of threads have ticks of their own, because threads may do the same thing at
 * the same time.
 *
 * This file only computes with numbers of ticks, which begin at 0.
 */
#ifndef CLEW_TIME_STRATA_H
#define CLEW_TIME_STRATA_H

#include <stdint.h>

#define STRATA_LEVEL_MAX 16

/* The ticks, which are the same for all threads. */
struct strata_clock {
	uint64_t start_ns;  /* time of tick 0 */
	uint64_t period_ns; /* time between two ticks */
	uint64_t seed;
	/*
	 * log2 of the number of groups of threads. There are at most as many
	 * groups as a stratum has ticks.
	 */
	uint32_t groups_log2;
};

/* The state of a thread. All its strata before `begin` have been handled. */
struct strata {
	uint64_t begin, end; /* ticks of the stratum: [begin, end) */
	uint64_t due;        /* the tick in which the thread is observed */
	uint32_t group;      /* the thread's group; any number is valid */
	/*
	 * Level of the strata that have not begun yet. A stratum has a lower
	 * level if its first tick is no multiple of this level's length.
	 */
	uint32_t level;
};

/* Returns the random instant of a tick at which threads are observed. */
uint64_t strata_instant_ns(const struct strata_clock *clock, uint64_t tick);

/* Returns the number of ticks whose instants have passed. */
uint64_t strata_ticks_past(const struct strata_clock *clock, uint64_t now_ns);

/*
 * Initializes the strata of a thread that has existed since `since_ns`, which
 * may be in the middle of a stratum.
 */
void strata_begin(struct strata *strata, const struct strata_clock *clock,
		  uint64_t since_ns, uint32_t group, uint32_t level);

/*
 * Called when the instants of `past` ticks have passed. Returns how many ticks
 * an observation of the thread stands for now: the number of ticks in its due
 * strata. Several strata are due if the watch is late. Returns 0 if none is
 * due.
 */
uint64_t strata_take(struct strata *strata, const struct strata_clock *clock,
		     uint64_t past);

/* Sets level and group of the strata that have not begun yet. */
void strata_change(struct strata *strata, const struct strata_clock *clock,
		   uint64_t past, uint32_t group, uint32_t level);

/*
 * Returns the level for a thread that has waited this many ticks, at most
 * `max`.
 */
uint32_t strata_level(uint64_t waited, uint32_t max);

#endif
