/* SPDX-License-Identifier: MIT */
/*
 * What a call costs, for a budget: as a loop of calls measures it at the start; and,
 * where time is sampled, by the samples that lie in clew's own code, over the calls
 * meanwhile.
 *
 * Not in surveys (budget_pace.h). Where functions are left out, stubs that are hardly
 * ever called are in no cache, and what clew does by the clock, samples and new
 * contexts, is shared by few calls: several times as much for each. One price for both
 * took nearly all of a survey's time for clew's, and what a survey found was up to
 * twice too many calls a second of the program's own.
 */
#ifndef CLEW_BUDGET_BUDGET_PRICE_H
#define CLEW_BUDGET_BUDGET_PRICE_H

#include <stdint.h>

struct budget_price {
	double least_ps; /* as a loop says */
	double ps;       /* of a call, now */
	/* Of late, in clew's code by samples; and the calls meanwhile. */
	double sampled_ns, calls;
};

/*
 * What a call costs, in ps: more than in a loop that does nothing else, where calls
 * overlap and all is in the caches; and whoever has the other half of the processor's
 * core makes that loop up to three times slower, so that the quickest of several
 * counts. Before the program runs, on a thread that has counted nothing yet.
 */
uint32_t budget_price_measure(void);

/*
 * A call takes no less than half of that, and no more than ten times; four times as
 * much until samples say, of which there are none with --time=none: redis-server pays
 * 2.6 ns for each while all are counted, and up to 10 when those are left out that are
 * called most.
 */
void budget_price_begin(struct budget_price *price, double measured_ps);

/*
 * So much time was sampled in clew's code, less what new contexts took of it, while
 * so many were called. What is older counts half when there is enough that is new.
 */
void budget_price_learn(struct budget_price *price, double sampled_ns,
			uint64_t calls);

/* Samples that are still to come would be of nothing. */
void budget_price_forget_samples(struct budget_price *price);

#endif
