/* SPDX-License-Identifier: MIT */
/* See verdicts.h. */
#include "report/model/verdicts.h"

#include "report/model/confidence.h"

static void add(struct verdicts *sum, const struct wire_verdicts *more)
{
	sum->verified += more->verified;
	sum->collisions += more->collisions;
	sum->diverged += more->diverged;
	for (unsigned int i = 0; i < WIRE_PARTIAL_COUNT; i++) {
		sum->partial_by[i] += more->partial[i];
		sum->partial += more->partial[i];
	}
}

/* Adds results of which each stands for `period` calls or contexts. */
static void stand_for(struct verdicts *sum, uint64_t decided, uint64_t wrong,
		      uint32_t period)
{
	sum->stand_for += decided * period;
	sum->wrong_for += wrong * period;
	if (decided && period > sum->most_for)
		sum->most_for = period;
}

void verdicts_add(struct verdicts *sum, const struct wire_verdicts *more)
{
	add(sum, more);
	stand_for(sum, more->verified + more->collisions + more->diverged,
		  more->collisions + more->diverged, 1);
}

void verdicts_add_firsts(struct verdicts *sum, const struct wire_tally *tally,
			 uint32_t verify_period)
{
	const struct wire_verdicts *firsts = &tally->firsts;
	const uint64_t wrong = firsts->collisions + firsts->diverged;
	const uint64_t decided = firsts->verified + wrong;
	const uint64_t late =
		tally->late_decided < decided ? tally->late_decided : decided;
	const uint64_t late_wrong =
		tally->late_wrong < wrong ? tally->late_wrong : wrong;

	add(sum, firsts);
	stand_for(sum, decided - late, wrong - late_wrong,
		  wire_first_period(verify_period, 0));
	stand_for(sum, late, late_wrong, wire_first_period(verify_period, 1));
}

/*
 * The wrong share may differ between strata. A drawn one stands for at most
 * most_for others, so the probability that no wrong one is drawn is at most
 * exp(-wrong / most_for). The bound therefore assumes 1 / most_for of all were
 * drawn uniformly.
 */
void verdicts_conclude(struct verdicts *sum)
{
	const uint64_t most = sum->most_for ? sum->most_for : 1;

	sum->wrong_at_most = confidence_upper_bound(
		sum->stand_for / most, (sum->wrong_for + most - 1) / most);
}

double verdicts_undecided(const struct verdicts *verdicts)
{
	const uint64_t all = verdicts->partial + verdicts_decided(verdicts);

	return all ? (double)verdicts->partial / (double)all : 0;
}

const char *partial_text(unsigned int reason)
{
	static const char *const texts[] = {
		[WIRE_PARTIAL_START] = "on stacks of unknown beginning",
		[WIRE_PARTIAL_LENGTH] = "on stacks that are too long",
		[WIRE_PARTIAL_BORROWED] = "in children before they exec",
		[WIRE_PARTIAL_RECORD] =
			"below callers that another thread has recorded",
		[WIRE_PARTIAL_FILTER] = "behind a system call filter",
		[WIRE_PARTIAL_SIGNAL] =
			"in handlers of signals that came amid a call",
	};

	return reason < sizeof(texts) / sizeof(*texts) ? texts[reason]
						       : "unknown reason";
}
