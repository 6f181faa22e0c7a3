/* SPDX-License-Identifier: MIT */
/* See budget_price.h. */
#include "preload/budget/budget_price.h"

#include "preload/hot/stamp_counter.h"
#include "preload/stubs/calibrate.h"
#include "preload/sys/sys.h"

#define ENOUGH_NS  1e8 /* sampled time that suffices to compute a price */
#define MOST_TIMES 10
#define COLD_TIMES 4
#define CALL_PS    4000 /* used if the cost cannot be measured */
#define LOOPS      3    /* number of measurements */

void budget_price_begin(struct budget_price *price, double measured_ps)
{
	*price = (struct budget_price){ .least_ps = measured_ps,
					.ps = measured_ps * COLD_TIMES };
}

static double within(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

void budget_price_learn(struct budget_price *price, double sampled_ns,
			uint64_t calls)
{
	price->sampled_ns += sampled_ns;
	price->calls += (double)calls;
	if (price->sampled_ns < ENOUGH_NS || price->calls < 1)
		return;
	price->ps = within(price->sampled_ns * 1000 / price->calls,
			   price->least_ps / 2, price->least_ps * MOST_TIMES);
	if (price->sampled_ns > 2 * ENOUGH_NS) {
		price->sampled_ns /= 2;
		price->calls /= 2;
	}
}

void budget_price_forget_samples(struct budget_price *price)
{
	price->sampled_ns = price->calls = 0;
}

static uint32_t measure_once(void)
{
	const uint64_t start_ns = sys_clock_ns(CLOCK_MONOTONIC);
	const uint64_t start = stamp_counter();
	struct time_cost cost = { 0 };
	uint64_t past_ns, past;

	if (calibrate(&cost))
		return CALL_PS;
	past_ns = sys_clock_ns(CLOCK_MONOTONIC) - start_ns;
	past = stamp_counter() - start;
	return (uint32_t)((uint64_t)(cost.self + cost.caller) * past_ns * 3500 /
			  (past ? past : 1));
}

uint32_t budget_price_measure(void)
{
	uint32_t least_ps = measure_once();

	for (int i = 1; i < LOOPS; i++) {
		const uint32_t ps = measure_once();

		if (ps < least_ps)
			least_ps = ps;
	}
	return least_ps;
}
