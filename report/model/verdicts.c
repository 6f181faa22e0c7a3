/* SPDX-License-Identifier: MIT */
#include "report/model/verdicts.h"

#include "report/model/confidence.h"

void verdicts_add(struct verdicts *sum, const struct wire_verdicts *more)
{
	sum->verified += more->verified;
	sum->collisions += more->collisions;
	sum->diverged += more->diverged;
	for (unsigned int i = 0; i < WIRE_PARTIAL_COUNT; i++) {
		sum->partial_by[i] += more->partial[i];
		sum->partial += more->partial[i];
	}
}

void verdicts_conclude(struct verdicts *sum)
{
	sum->wrong_at_most = confidence_upper_bound(verdicts_decided(sum),
						    verdicts_wrong(sum));
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
