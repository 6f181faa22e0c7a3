/* SPDX-License-Identifier: MIT */
/*
 * What came of the verifications: calls drawn at random whose context was
 * compared with the stack (preload/stack/verify.c).
 *
 * Calls of contexts that were known, and the first call of a context each, are
 * drawn at rates of their own. The latter stand for the contexts, those of each
 * thread apart, the former for the calls that they got.
 */
#ifndef CLEW_MODEL_VERDICTS_H
#define CLEW_MODEL_VERDICTS_H

#include <stdint.h>

#include "wire/recording.h"

struct verdicts {
	uint64_t verified, collisions, diverged;
	uint64_t partial; /* of which the stack did not tell all */
	uint64_t partial_by[WIRE_PARTIAL_COUNT];
	/*
	 * How many those that are decided stand for, and those that were wrong, and
	 * for how many one does at most.
	 */
	uint64_t stand_for, wrong_for, most_for;
	/* The exact bound (95 %) of the share that is wrong, of what can be
	 * verified; 1 if nothing was. */
	double wrong_at_most;
};

/*
 * To verdicts that begin as 0; verdicts_conclude() then finds the bound. Those of
 * calls all stand for as many, those of new contexts for what a tally drew them from.
 */
void verdicts_add(struct verdicts *sum, const struct wire_verdicts *more);
void verdicts_add_firsts(struct verdicts *sum, const struct wire_tally *tally,
			 uint32_t verify_period);
void verdicts_conclude(struct verdicts *sum);

static inline uint64_t verdicts_wrong(const struct verdicts *verdicts)
{
	return verdicts->collisions + verdicts->diverged;
}

/* Verifications that found out whether a context was right. */
static inline uint64_t verdicts_decided(const struct verdicts *verdicts)
{
	return verdicts->verified + verdicts_wrong(verdicts);
}

/* The share of those that did not, of all; 0 if there were none. */
double verdicts_undecided(const struct verdicts *verdicts);

/* Why, behind "cannot be verified: ". */
const char *partial_text(unsigned int reason);

#endif
