/* SPDX-License-Identifier: MIT */
#include "preload/budget.h"

#include <errno.h>

#include "preload/budget_functions.h"
#include "preload/budget_hooks.h"
#include "preload/calibrate.h"
#include "preload/hot/runtime.h"
#include "preload/hot/stamp_counter.h"
#include "preload/patch/trap.h"
#include "preload/record/record_stream.h"
#include "preload/sys/sys.h"
#include "preload/time/watch.h"

#define LOOK_NS       UINT64_C(50000000)
#define IDLE_NS       UINT64_C(250000000)
#define SURVEY_NS     UINT64_C(20000000)
#define SURVEY_LEAST  1e9 /* ns between two of them */
#define SURVEY_MOST   6e10
#define LEAST_CPU_NS  UINT64_C(2000000) /* less says nothing */
#define CREDIT_NS     1e7
#define SAMPLED_NS    1e8 /* so much of them tells what a call costs */
#define PAUSE_MOST_NS 1e9
#define AGAIN_NS      UINT64_C(200000000) /* after a change that failed */
#define CONTEXT_NS    1000                /* what a new one takes */
#define TRAP_NS       2000
#define CALL_PS       4000 /* where it cannot be measured */
#define ROOM_PERCENT  60   /* of the budget, for what is left */
#define OWN_PART      10   /* of the budget, for looking and for surveys */
#define CHEAP_PART    500  /* of that: who takes less always stays */
#define RECORDS_BYTES 16384

#define MIN(a, b)     ((a) < (b) ? (a) : (b))
#define MAX(a, b)     ((a) > (b) ? (a) : (b))

struct budget_clocks {
	uint64_t now_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns; /* of the process */
	uint64_t own_ns; /* of clew's own thread */
};

/* Of clew's own thread alone, but for what budget_start() writes. */
static struct {
	const struct wire_header *header; /* of the process it has looked at */
	struct record_stream records;
	struct budget_functions functions;
	uint32_t learnt;           /* so many functions */
	uint32_t has_learnt;       /* in this look */
	struct budget_clocks last; /* at the last look */
	uint64_t idle_ns;   /* until the next look at a process that sleeps */
	uint64_t survey_ns; /* when all are to be hooked again; 0: never */
	uint32_t is_survey; /* they are, for this look */
	double credit_ns;   /* for looking */
	double debt_ns;     /* by which the budget was exceeded, in all */
	/* By which the cost of a call is corrected: correct_call(). */
	double measured_ps, late_ns, late_calls;
	uint64_t last_sampled_ns;
	uint64_t change_ns; /* what hooking all again took the last time */
	uint64_t again_ns;  /* nothing is changed until then */
} budget = {
	.records = { .kind = WIRE_LEFT_OUT, .chunk_bytes = RECORDS_BYTES },
};

/* ---- What is recorded ---- */

static struct wire_left_out *record_of(struct budget_function *slot,
				       uint64_t wall_ns)
{
	void *at;

	if (slot->record ||
	    record_stream_room(&budget.records, &rt.recorder->part,
			       sizeof(*slot->record), &at))
		return slot->record;
	slot->record = at;
	*slot->record = (struct wire_left_out){ .function = slot->function,
						.first_ns = wall_ns };
	record_stream_add(&budget.records, sizeof(*slot->record));
	return slot->record;
}

/* It is about to be left out: said first, so that no count looks exact. */
static int note_out(struct budget_function *slot, uint64_t per_s,
		    uint64_t wall_ns)
{
	struct wire_left_out *record = record_of(slot, wall_ns);

	if (!record)
		return -ENOSPC;
	record->per_s = per_s;
	record->times++;
	atomic_store(&record->since_ns, wall_ns);
	return 0;
}

static void note_in(struct wire_left_out *record, uint64_t wall_ns)
{
	const uint64_t since_ns = atomic_exchange(&record->since_ns, 0);
	uint64_t out_ns;

	if (!since_ns || wall_ns < since_ns)
		return;
	out_ns = wall_ns - since_ns;
	record->out_ns += out_ns;
	record->missed +=
		(uint64_t)((double)record->per_s * 1e-9 * (double)out_ns);
}

/* Whatever came back, by whomever. */
static void note_all_in(void)
{
	const uint64_t wall_ns = sys_clock_ns(CLOCK_REALTIME);

	for (uint32_t i = 0; i < budget.functions.room; i++) {
		const struct budget_function *slot = &budget.functions.slots[i];

		if (slot->record && slot->record->since_ns && !slot->is_out)
			note_in(slot->record, wall_ns);
	}
}

/* ---- A process ---- */

static uint64_t process_cpu_ns(void)
{
	return sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static uint64_t thread_cpu_ns(void)
{
	return sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static struct budget_clocks read_clocks(uint64_t now_ns)
{
	return (struct budget_clocks){ .now_ns = now_ns,
				       .cpu_ns = process_cpu_ns(),
				       .own_ns = thread_cpu_ns() };
}

static int take_up_records(void *unused, const struct chunk *chunk)
{
	struct wire_left_out *items = chunk_payload(chunk);
	const uint64_t count = chunk->head->used / sizeof(*items);

	for (uint64_t i = 0; i < count; i++) {
		struct budget_function *slot = budget_functions_find(
			&budget.functions, items[i].function);

		if (slot)
			slot->record = &items[i];
	}
	return 0;
}

/*
 * A forked child has its parent's code, and functions that are left out in it, of
 * which it has records (process.c). They are left out once more: one that forks
 * without telling anybody may have done so while code was changed.
 */
static void inherit(void)
{
	for (uint32_t i = 0; i < budget.functions.room; i++) {
		struct budget_function *slot = &budget.functions.slots[i];

		slot->record = NULL;
		slot->is_chosen |= slot->is_out;
	}
	part_each_chunk(&rt.recorder->part, WIRE_LEFT_OUT, take_up_records,
			NULL);
	budget_hooks_change(&budget.functions, 0);
}

static void begin_process(uint64_t now_ns)
{
	record_stream_forget(&budget.records);
	budget_functions_restart(&budget.functions);
	if (budget.header)
		inherit();
	budget.header = rt.header;
	rt.header->budget_state = WIRE_BUDGET_KEPT;
	budget.is_survey = 0;
	budget.idle_ns = LOOK_NS;
	budget.credit_ns = CREDIT_NS;
	budget.debt_ns = 0;
	budget.late_ns = budget.late_calls = 0;
	budget.measured_ps = rt.header->budget_call_ps;
	budget.last_sampled_ns = rt.header->own_sampled_ns;
	budget.last = read_clocks(now_ns);
}

/* ---- What it costs ---- */

/*
 * What a call costs in this program, on this machine, beside its neighbours: what
 * samples found in clew's code, where time is sampled, over the calls meanwhile. Of
 * late: old ones count half when there are enough new ones.
 */
static void correct_call(void)
{
	const double least_ps = budget.measured_ps;
	double ps;

	budget.late_ns +=
		(double)(rt.header->own_sampled_ns - budget.last_sampled_ns);
	budget.last_sampled_ns = rt.header->own_sampled_ns;
	for (uint32_t i = 0; i < budget.functions.room; i++) {
		const struct budget_function *slot = &budget.functions.slots[i];

		budget.late_calls += (double)slot->new_calls;
		budget.late_ns -= (double)(slot->new_contexts * CONTEXT_NS);
	}
	if (budget.late_ns < SAMPLED_NS || budget.late_calls < 1)
		return;
	ps = budget.late_ns * 1000 / budget.late_calls;
	rt.header->budget_call_ps =
		(uint32_t)MAX(MIN(ps, 10 * least_ps), least_ps / 2);
	if (budget.late_ns > 2 * SAMPLED_NS) {
		budget.late_ns /= 2;
		budget.late_calls /= 2;
	}
}

static uint64_t cost_of(const struct budget_function *slot)
{
	return slot->is_trap
		       ? slot->new_calls * TRAP_NS
		       : slot->new_calls * rt.header->budget_call_ps / 1000;
}

/* Of all calls since the last look. */
static uint64_t weigh_calls(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < budget.functions.room; i++) {
		struct budget_function *slot = &budget.functions.slots[i];

		slot->cost_ns = cost_of(slot);
		sum += slot->cost_ns;
	}
	return sum;
}

/* New contexts are paid for once, and are what is to be learnt. */
static uint64_t weigh_contexts(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < budget.functions.room; i++)
		sum += budget.functions.slots[i].new_contexts;
	return sum * CONTEXT_NS;
}

/* ---- Leaving out ---- */

/* Once in a look: it goes through all hooks. */
static int learn(void)
{
	int err;

	if (budget.has_learnt)
		return 0;
	err = budget_hooks_learn(&budget.functions);
	if (!err) {
		budget.has_learnt = 1;
		budget.learnt = budget.functions.count;
		note_all_in();
	}
	return err;
}

static uint64_t a_second(uint64_t amount, uint64_t interval_ns)
{
	return (uint64_t)((double)amount * 1e9 / (double)MAX(interval_ns, 1));
}

/* The cost of those that are chosen, so that what is left takes no more. */
static uint64_t choose(uint64_t cost_ns, uint64_t allowed_ns,
		       uint64_t interval_ns)
{
	const uint32_t count = budget_functions_sort(&budget.functions,
						     allowed_ns / CHEAP_PART);
	const uint64_t wall_ns = sys_clock_ns(CLOCK_REALTIME);
	uint64_t saved_ns = 0;

	for (uint32_t i = 0; i < count && cost_ns > allowed_ns + saved_ns;
	     i++) {
		struct budget_function *slot =
			&budget.functions.slots[budget.functions.order[i]];

		slot->out_cost = a_second(slot->cost_ns, interval_ns);
		if (note_out(slot, a_second(slot->new_calls, interval_ns),
			     wall_ns))
			break; /* there is no room to say so */
		slot->is_chosen = 1;
		saved_ns += slot->cost_ns;
	}
	return saved_ns;
}

/*
 * So that surveys cost their part of the budget: while one lasts, clew takes so
 * much as what is left out took before, and never more than all CPU time.
 */
static void plan_survey(uint64_t now_ns, uint64_t cpu_a_second)
{
	const double part = (double)rt.config->budget / 1000 / OWN_PART;
	const double lasts_ns = (double)(SURVEY_NS + budget.change_ns);
	uint64_t out_ns = 0;
	double wait_ns;

	for (uint32_t i = 0; i < budget.functions.room; i++)
		if (budget.functions.slots[i].is_out)
			out_ns += budget.functions.slots[i].out_cost;
	out_ns = MIN(out_ns, cpu_a_second);
	wait_ns =
		lasts_ns / part * (double)out_ns / (double)MAX(cpu_a_second, 1);
	budget.survey_ns =
		now_ns + (uint64_t)MAX(MIN(wait_ns, SURVEY_MOST), SURVEY_LEAST);
}

/* In debt, less than the budget may be used. */
static uint64_t limit_percent(void)
{
	return budget.debt_ns > 0 ? ROOM_PERCENT : 100;
}

static uint64_t room_percent(void)
{
	return budget.debt_ns > 0 ? ROOM_PERCENT / 2 : ROOM_PERCENT;
}

static uint32_t state_of(int err)
{
	return err == -EPERM ? WIRE_BUDGET_TRACED : WIRE_BUDGET_CODE;
}

/* Since the last look, of functions that have been left out meanwhile. */
static uint64_t weigh_out(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < budget.functions.room; i++)
		if (budget.functions.slots[i].is_out)
			sum += budget.functions.slots[i].cost_ns;
	return sum;
}

static void leave_out(uint64_t cost_ns, uint64_t budget_ns,
		      const struct budget_clocks *then)
{
	const uint64_t allowed_ns = budget_ns * room_percent() / 100;
	const uint64_t interval_ns = then->now_ns - budget.last.now_ns;
	uint64_t saved_ns;
	int err = then->now_ns < budget.again_ns ? -EBUSY : learn();

	if (err)
		return;
	cost_ns -= weigh_out();
	/* if these are not to be had, those of before will do */
	budget_functions_find_callees(&budget.functions);
	saved_ns = choose(cost_ns, allowed_ns, interval_ns);
	err = budget_hooks_change(&budget.functions, 0);
	if (err) {
		note_all_in();
		budget.again_ns = then->now_ns + AGAIN_NS;
	}
	rt.header->budget_state = err ? state_of(err)
				  : cost_ns > budget_ns + saved_ns
					  ? WIRE_BUDGET_FIXED
					  : WIRE_BUDGET_KEPT;
	plan_survey(then->now_ns,
		    a_second(then->cpu_ns - budget.last.cpu_ns, interval_ns));
}

/* ---- Coming back ---- */

static void survey(void)
{
	const uint64_t start_ns = sys_clock_ns(CLOCK_MONOTONIC);

	if (learn())
		return;
	for (uint32_t i = 0; i < budget.functions.room; i++)
		budget.functions.slots[i].is_chosen =
			budget.functions.slots[i].is_out;
	if (!budget_hooks_change(&budget.functions, 1)) {
		budget.is_survey = 1;
		note_all_in();
	}
	budget.change_ns = sys_clock_ns(CLOCK_MONOTONIC) - start_ns;
}

static int are_any_out(void)
{
	for (uint32_t i = 0; i < budget.functions.room; i++)
		if (budget.functions.slots[i].is_out)
			return 1;
	return 0;
}

/* ---- Looking ---- */

/* How the CPU time since the last look was used, until `then`. */
static void judge(const struct budget_clocks *then)
{
	const uint64_t cpu_ns = then->cpu_ns - budget.last.cpu_ns;
	const uint64_t own_ns = then->own_ns - budget.last.own_ns;
	const uint64_t calls_ns = weigh_calls();
	const uint64_t all_ns = calls_ns + weigh_contexts() + own_ns;
	/* Estimates may be too high; something is the program's. */
	const uint64_t target_ns =
		MAX(cpu_ns - MIN(calls_ns + own_ns, cpu_ns), cpu_ns / 10);
	/* Looking has a part of its own (pause_after()). */
	const uint64_t budget_ns = target_ns * rt.config->budget / 1000;

	rt.header->budget_cpu_ns += cpu_ns;
	rt.header->budget_cost_ns += MIN(all_ns, cpu_ns);
	budget.is_survey = 0;
	budget.debt_ns += (double)(calls_ns + own_ns) - (double)budget_ns;
	budget.debt_ns = MAX(budget.debt_ns, -CREDIT_NS);
	if (calls_ns > budget_ns * limit_percent() / 100)
		leave_out(calls_ns, budget_ns, then);
	else
		rt.header->budget_state = WIRE_BUDGET_KEPT;
	budget.last = *then;
}

/*
 * Looking costs as well: its part of the budget, which is saved up for a while, so
 * that whatever begins is looked at often.
 */
static uint64_t pause_after(const struct budget_clocks *then,
			    const struct budget_clocks *before)
{
	const double own_ns = (double)(thread_cpu_ns() - then->own_ns);
	const double earned = (double)(then->cpu_ns - before->cpu_ns) *
			      (double)rt.config->budget / 1000 / OWN_PART;
	const double past_ns = (double)(then->now_ns - before->now_ns);

	budget.credit_ns = MIN(budget.credit_ns + earned - own_ns, CREDIT_NS);
	if (budget.credit_ns >= 0)
		return LOOK_NS;
	return LOOK_NS + (uint64_t)MIN(-budget.credit_ns / earned * past_ns,
				       PAUSE_MOST_NS);
}

static uint64_t look(uint64_t now_ns)
{
	const struct budget_clocks then = read_clocks(now_ns);
	const struct budget_clocks before = budget.last;
	uint64_t pause_ns;

	rt.header->budget_seen_ns = sys_clock_ns(CLOCK_REALTIME);
	if (then.cpu_ns - before.cpu_ns < LEAST_CPU_NS) {
		budget.idle_ns = MIN(2 * budget.idle_ns, IDLE_NS);
		return now_ns + budget.idle_ns;
	}
	budget.idle_ns = LOOK_NS;
	if (budget_functions_count(&budget.functions))
		return now_ns + LOOK_NS / 4;
	budget.has_learnt = 0;
	pause_ns = pause_after(&then, &before);
	if (budget.functions.count > budget.learnt)
		learn();
	correct_call();
	judge(&then);
	if (budget.survey_ns && now_ns >= budget.survey_ns &&
	    budget.debt_ns <= 0 && are_any_out()) {
		survey();
		budget.survey_ns = now_ns + (uint64_t)SURVEY_LEAST;
		if (budget.is_survey)
			pause_ns = SURVEY_NS;
	}
	return sys_clock_ns(CLOCK_MONOTONIC) + pause_ns;
}

static uint64_t take_turn(uint64_t now_ns)
{
	if (rt.header->state != WIRE_RUNNING)
		return now_ns + LOOK_NS;
	if (budget.header == rt.header)
		return look(now_ns);
	begin_process(now_ns);
	return now_ns + LOOK_NS;
}

/* ---- The start ---- */

/*
 * What a call costs: more than in a loop that does nothing else, where calls overlap
 * and all is in the caches.
 */
static uint32_t measure_call(void)
{
	const uint64_t start_ns = sys_clock_ns(CLOCK_MONOTONIC);
	const uint64_t start = stamp_counter();
	struct time_cost cost = { 0 };
	uint64_t past_ns, past;

	if (calibrate(&cost))
		return CALL_PS;
	past_ns = sys_clock_ns(CLOCK_MONOTONIC) - start_ns;
	past = MAX(stamp_counter() - start, 1);
	return (uint32_t)((uint64_t)(cost.self + cost.caller) * past_ns * 3500 /
			  past);
}

static void forget_session(void)
{
	budget.header = NULL;
	budget.survey_ns = 0;
	for (uint32_t i = 0; i < budget.functions.room; i++) {
		struct budget_function *slot = &budget.functions.slots[i];

		slot->record = NULL;
		slot->is_out = slot->is_chosen = 0;
	}
}

void budget_start(const struct cold *cold)
{
	if (!cold->config.budget)
		return;
	forget_session();
	rt.header->budget = cold->config.budget;
	/* who attaches traces for a moment */
	if ((!rt.is_late && !trap_is_possible()) || trap_install()) {
		rt.header->budget_state = WIRE_BUDGET_TRACED;
		return;
	}
	rt.header->budget_call_ps = measure_call();
	watch_start_job(take_turn);
}

static int end_records(void *unused, const struct chunk *chunk)
{
	struct wire_left_out *items = chunk_payload(chunk);
	const uint64_t count = chunk->head->used / sizeof(*items);
	const uint64_t wall_ns = sys_clock_ns(CLOCK_REALTIME);

	for (uint64_t i = 0; i < count; i++)
		note_in(&items[i], wall_ns);
	return 0;
}

void budget_end(void)
{
	part_each_chunk(&rt.recorder->part, WIRE_LEFT_OUT, end_records, NULL);
}
