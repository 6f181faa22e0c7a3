/* SPDX-License-Identifier: MIT */
/*
 * Results of verifications: calls drawn at random whose context was compared
 * with the stack (preload/stack/verify.c).
 *
 * Calls of recorded contexts and first calls of contexts are drawn at separate
 * rates. Results of first calls stand for the contexts of their thread, the
 * other results for calls.
 */
#ifndef CLEW_MODEL_VERDICTS_H
#define CLEW_MODEL_VERDICTS_H

#include <stdint.h>

#include "wire/recording.h"

struct verdicts {
	/* numbers of calls, as in struct wire_verdicts */
	uint64_t verified, collisions, diverged;
	/* number of calls whose stack did not show the whole context */
	uint64_t partial;
	uint64_t partial_by[WIRE_PARTIAL_COUNT];
	/*
	 * How many calls and contexts the decided verifications stand for, how
	 * many the wrong ones stand for, and the maximum for one verification.
	 */
	uint64_t stand_for, wrong_for, most_for;
	/*
	 * The exact upper bound (95 %) of the wrong share among verifiable
	 * calls; 1 if nothing was verified.
	 */
	double wrong_at_most;
};

/*
 * Add results to sums that start as 0; verdicts_conclude() then computes the
 * bound. Each result of verdicts_add() stands for an equal number of calls.
 * Each result of verdicts_add_firsts() stands for the contexts of which the
 * tally drew one.
 */
void verdicts_add(struct verdicts *sum, const struct wire_verdicts *more);
void verdicts_add_firsts(struct verdicts *sum, const struct wire_tally *tally,
			 uint32_t verify_period);
void verdicts_conclude(struct verdicts *sum);

static inline uint64_t verdicts_wrong(const struct verdicts *verdicts)
{
	return verdicts->collisions + verdicts->diverged;
}

/* Returns how many verifications found out whether a context was right. */
static inline uint64_t verdicts_decided(const struct verdicts *verdicts)
{
	return verdicts->verified + verdicts_wrong(verdicts);
}

/* Returns the share of verifications that found nothing out; 0 without any. */
double verdicts_undecided(const struct verdicts *verdicts);

/* Returns the reason, to be printed after "cannot be verified: ". */
const char *partial_text(unsigned int reason);

#endif
