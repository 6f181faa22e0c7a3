/* SPDX-License-Identifier: MIT */
/*
 * The cost of a call while some functions are unhooked. A loop of calls
 * measures it at the start. If time is sampled, it is then computed from the
 * samples in clew's own code and the calls in the same time.
 *
 * Surveys have another price (budget_pace.h). While functions are unhooked,
 * stubs that are seldom called are not in caches, and few calls share the cost
 * of samples and new contexts: each costs several times as much. With one price
 * for both, nearly all of a survey's time would count as clew's, and the
 * resulting call rates would be up to twice too high.
 */
#ifndef CLEW_BUDGET_BUDGET_PRICE_H
#define CLEW_BUDGET_BUDGET_PRICE_H

#include <stdint.h>

struct budget_price {
	double least_ps; /* cost that the loop has measured */
	double ps;       /* present cost of a call */
	/*
	 * Recent time in clew's code according to samples, and the calls in
	 * that time.
	 */
	double sampled_ns, calls;
};

/*
 * Measures the cost of a call, in ps. The loop does nothing else, calls
 * overlap, and all memory is in caches, so real calls cost more. A thread on
 * the other half of the processor's core makes the loop up to three times
 * slower, so the fastest of several measurements counts. Returns a typical cost
 * if it cannot be measured. Called before the program runs or when clew
 * attaches, on a thread that has counted nothing yet.
 */
uint32_t budget_price_measure(void);

/*
 * Begins with four times the measured cost, until there are samples (none with
 * --time=none). A call costs at least half of the measured value and at most
 * ten times as much: redis-server needs 2.6 ns for each call while all are
 * counted, and up to 10 while the most frequent ones are unhooked.
 */
void budget_price_begin(struct budget_price *price, double measured_ps);

/*
 * Adds time that was sampled in clew's code, without that of new contexts, and
 * the calls in the same time. When there are enough new values, older ones
 * count half.
 */
void budget_price_learn(struct budget_price *price, double sampled_ns,
			uint64_t calls);

/* Discards the samples and calls so far. The present cost stays. */
void budget_price_forget_samples(struct budget_price *price);

#endif
