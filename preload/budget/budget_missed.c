/* SPDX-License-Identifier: MIT */
/* See budget_missed.h. */
#include "preload/budget/budget_missed.h"

#include <stdatomic.h>

static uint64_t a_second(uint64_t calls, uint64_t cpu_ns)
{
	return cpu_ns ? (uint64_t)((double)calls * 1e9 / (double)cpu_ns) : 0;
}

/* Returns the calls, at this rate, of the period that has no survey yet. */
static uint64_t calls_at(const struct budget_missed *missed, double per_s)
{
	return (uint64_t)(per_s * 1e-9 * (double)missed->cpu_ns);
}

static void estimate(struct wire_left_out *record,
		     const struct budget_missed *missed)
{
	record->missed = missed->before + missed->unsure +
			 calls_at(missed, (double)record->per_s);
}

void budget_missed_begin(struct wire_left_out *record,
			 struct budget_missed *missed,
			 const struct budget_rate *rate, uint64_t wall_ns)
{
	/* Without a survey, the former rate holds. */
	missed->before += calls_at(missed, (double)record->per_s);
	missed->cpu_ns = 0;
	missed->fair_begin = rate->is_fair;
	record->per_s = a_second(rate->calls, rate->cpu_ns);
	record->times++;
	atomic_store(&record->since_ns, wall_ns);
}

void budget_missed_go_on(struct wire_left_out *record,
			 struct budget_missed *missed, uint64_t cpu_ns)
{
	missed->cpu_ns += cpu_ns;
	estimate(record, missed);
}

void budget_missed_end(struct wire_left_out *record, uint64_t wall_ns)
{
	const uint64_t since_ns = atomic_exchange(&record->since_ns, 0);

	if (since_ns && wall_ns > since_ns)
		record->out_ns += wall_ns - since_ns;
}

void budget_missed_correct(struct wire_left_out *record,
			   struct budget_missed *missed,
			   const struct budget_rate *after)
{
	double per_s = (double)a_second(after->calls, after->cpu_ns);
	uint64_t calls;

	if (!missed->cpu_ns || !after->cpu_ns)
		return;
	if (missed->fair_begin)
		per_s = (per_s + (double)record->per_s) / 2;
	calls = calls_at(missed, per_s);
	if (after->is_sure)
		missed->before += calls;
	else
		missed->unsure += calls;
	missed->cpu_ns = 0;
	estimate(record, missed);
}

void budget_missed_settle(struct wire_left_out *record,
			  struct budget_missed *missed, double factor)
{
	missed->before += (uint64_t)((double)missed->unsure * factor);
	missed->unsure = 0;
	estimate(record, missed);
}
