/* SPDX-License-Identifier: MIT */
/* See budget.h. */
#include "preload/budget/budget.h"

#include <errno.h>
#include <string.h>

#include "preload/budget/budget_functions.h"
#include "preload/budget/budget_hooks.h"
#include "preload/budget/budget_learnt.h"
#include "preload/budget/budget_pace.h"
#include "preload/budget/budget_price.h"
#include "preload/budget/budget_records.h"
#include "preload/budget/budget_surveys.h"
#include "preload/host/config.h"
#include "preload/hot/runtime.h"
#include "preload/patch/trap.h"
#include "preload/sys/apart.h"
#include "preload/sys/proc.h"
#include "preload/sys/sys.h"
#include "preload/time/watch.h"

#define POLL_NS UINT64_C(50000000)
/* time until the first poll; later intervals are longer */
#define POLL_FIRST_NS UINT64_C(10000000)
#define IDLE_NS       UINT64_C(250000000)
/* time between two checks whether the recording has begun */
#define BEGIN_NS UINT64_C(1000000)
/*
 * A survey takes as long as hooking all functions took, but not less and not
 * more than this.
 */
#define SURVEY_NS   UINT64_C(5000000)
#define SURVEY_LONG UINT64_C(20000000)
/*
 * If the thread had to wait longer than this for a processor while it counted
 * calls, the values are not used.
 */
#define LATE_NS UINT64_C(1000000)
/* how often in a row an interval is dropped for this reason */
#define AFRESH_MOST 3
/* Intervals with less CPU time are not evaluated. */
#define LEAST_CPU_NS  UINT64_C(2000000)
#define CREDIT_NS     1e7
#define PAUSE_MOST_NS 1e9
#define AGAIN_NS      UINT64_C(200000000) /* wait after a failed change */
#define CONTEXT_NS    1000 /* estimated cost of recording a new context */
#define TRAP_NS       2000
/* estimated cost of a sample: a signal and its handler */
#define SAMPLE_NS 5000
/* when functions are unhooked, the rest may use this part of the budget */
#define ROOM_PERCENT 40
/*
 * After a survey in which an unhooked function cost little, its remembered cost
 * (out_cost) is divided by this.
 */
#define FORGET_PART 16
/*
 * A function whose calls cost less than 1/CHEAP_PART of the time that all calls
 * may cost (ROOM_PERCENT of the budget) stays hooked, unless it was unhooked
 * before (choose_remembered()).
 */
#define CHEAP_PART 500
/*
 * Longest time between two writes of what was learnt. In a young process it is
 * the process's age.
 */
#define KEEP_MOST_NS UINT64_C(10000000000)
/* estimated CPU time to unhook a function while the program runs */
#define UNHOOK_LIVE_NS UINT64_C(15000)

#define MIN(a, b)      ((a) < (b) ? (a) : (b))
#define MAX(a, b)      ((a) > (b) ? (a) : (b))

struct budget_clocks {
	uint64_t now_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns; /* CPU time of the process */
	uint64_t own_ns; /* CPU time of clew's own thread */
};

/*
 * Identifies a process. The address of its header is not enough: a grandchild's
 * header may be mapped where that of its grandparent was.
 */
struct budget_process {
	uint64_t start_ns; /* 0: none */
	uint32_t pid, seq;
};

/*
 * Written by clew's own thread, except that budget_start() initialises it.
 * Other threads read it when recording ends.
 */
static struct {
	/* the process that this data belongs to */
	struct budget_process process;
	/* The clocks when the process `started` began to count. */
	struct budget_clocks start;
	/* the process to which `start` belongs */
	struct budget_process started;
	struct budget_functions functions;
	/* how many of `functions` budget_hooks_learn() has inspected */
	uint32_t learnt;
	uint32_t has_learnt; /* budget_hooks_learn() was called in this poll */
	struct budget_clocks last; /* the clocks at the last poll */
	uint32_t afresh;  /* number of intervals in a row that were dropped */
	uint64_t poll_ns; /* time until the next poll */
	uint64_t idle_ns; /* time until the next poll of a sleeping process */
	/* time at which all functions are hooked again; 0 if there is none */
	uint64_t survey_ns;
	/* this interval is a survey, in which all functions are hooked */
	uint32_t is_survey;
	/* the next survey is one that young processes have in addition */
	uint32_t is_early;
	/* some functions were unhooked when this interval began */
	int are_some_out;
	double credit_ns; /* CPU time that polling may use at present */
	/* by how much the cost has exceeded the budget so far */
	double debt_ns;
	/* Cost of a call, while some functions are unhooked. */
	struct budget_price price;
	struct budget_pace pace;
	/* cost of a call in ps while all functions are hooked */
	double full_ps;
	uint64_t last_sampled_ns;
	uint64_t change_ns; /* duration of the last change that hooked all */
	/* CPU time of that change, and of the last one that unhooked some */
	uint64_t hook_cpu_ns, unhook_cpu_ns;
	uint64_t again_ns; /* no hooks are changed before this time */
	uint64_t keep_ns;  /* the next time to write what was learnt */
	int has_news;      /* something was learnt that is not written yet */
	/* Surveys while the cost of a call was a guess. */
	struct unsure_surveys {
		double cpu_ns, calls;
		double program_ns; /* the program's part at that guess */
	} unsure;
} budget;

/* The CPU time of the process since the last poll, and clew's part of it. */
struct interval {
	uint64_t wall_ns, cpu_ns;
	uint64_t calls_ns, budget_ns;
	uint64_t program_ns; /* the program's own part */
	int is_survey;
};

/* ---- A process ---- */

static struct budget_process this_process(void)
{
	return (struct budget_process){ .start_ns = rt.header->start_ns,
					.pid = rt.header->pid,
					.seq = rt.header->seq };
}

static int is_this_process(const struct budget_process *process)
{
	return process->start_ns == rt.header->start_ns &&
	       process->pid == rt.header->pid && process->seq == rt.header->seq;
}

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

static int are_any_out(void)
{
	for (uint32_t i = 0; i < budget.functions.room; i++)
		if (budget.functions.slots[i].is_out)
			return 1;
	return 0;
}

/*
 * Called in a forked child, which inherits the parent's code with unhooked
 * functions, and their records (process.c). Unhooks these functions again,
 * because the fork may have happened in the middle of a change of code.
 */
static void inherit(void)
{
	for (uint32_t i = 0; i < budget.functions.room; i++) {
		struct budget_function *slot = &budget.functions.slots[i];

		slot->record = NULL;
		slot->is_chosen |= slot->is_out;
	}
	budget_records_forget();
	budget_records_take_up(&budget.functions);
	budget_hooks_change(&budget.functions, 0);
}

static void begin_process(uint64_t now_ns)
{
	budget_functions_restart(&budget.functions);
	/* The parent may not have been polled yet. */
	if (!is_this_process(&budget.started))
		inherit();
	/*
	 * A child's clocks begin at 0, even if its parent was not polled yet.
	 */
	if (!is_this_process(&budget.started)) {
		budget.start = (struct budget_clocks){ .now_ns = now_ns };
		budget.started = this_process();
	}
	/* Calls before this thread has started count as well. */
	budget.last = budget.start;
	budget.process = this_process();
	rt.header->budget_state = WIRE_BUDGET_KEPT;
	budget.is_survey = 0;
	budget.poll_ns = POLL_FIRST_NS;
	budget.idle_ns = POLL_NS;
	budget.credit_ns = CREDIT_NS;
	budget.debt_ns = 0;
	budget.unsure = (struct unsure_surveys){ 0 };
	budget_price_forget_samples(&budget.price);
	budget.last_sampled_ns = rt.stub_sampled_ns;
}

/* ---- Costs ---- */

/*
 * Returns the cost of new contexts. It arises only once for each, and the
 * contexts are what the user wants to know.
 */
static uint64_t weigh_contexts(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < budget.functions.room; i++)
		sum += budget.functions.slots[i].new_contexts;
	return sum * CONTEXT_NS;
}

/*
 * Returns the cost of samples, which depends on the process's CPU time and not
 * on the hooks.
 */
static uint64_t weigh_samples(uint64_t cpu_ns)
{
	const uint64_t period_ns = rt.header->period_ns;

	return period_ns ? SAMPLE_NS * cpu_ns / period_ns : 0;
}

static uint64_t count_calls(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < budget.functions.room; i++)
		sum += budget.functions.slots[i].new_calls;
	return sum;
}

/*
 * Updates the cost of a call in this program, on this system, under its present
 * load.
 */
static void correct_price(uint64_t cpu_ns)
{
	const uint64_t sampled_ns = rt.stub_sampled_ns;
	const uint64_t late_ns = sampled_ns - budget.last_sampled_ns;

	budget.last_sampled_ns = sampled_ns;
	if (!budget.are_some_out) {
		budget_pace_go_on(&budget.pace, &budget.functions, 1, cpu_ns);
		budget.full_ps =
			budget_pace_call_ps(&budget.pace, &budget.functions);
		rt.header->budget_call_ps = (uint32_t)budget.full_ps;
		return;
	}
	/* A change of code makes calls expensive for a moment. */
	if (!budget_pace_is_mixed(&budget.functions))
		budget_price_learn(&budget.price, (double)late_ns,
				   count_calls());
}

/*
 * Returns the cost of a call of functions that stayed hooked while others were
 * unhooked. The samples' price holds only while few calls are made. If the
 * calls would take more than half of the time at that price, the stubs are in
 * caches, and a lower price is returned.
 */
static double some_ps(uint64_t cpu_ns)
{
	const double most_ps =
		(double)cpu_ns * 1000 / 2 / (double)MAX(count_calls(), 1);

	return MAX(MIN(budget.price.ps, most_ps),
		   MIN(budget.price.ps, budget.full_ps));
}

/*
 * Returns the cost of a function's calls since the last poll. Calls of a
 * function that is unhooked now were made in a survey, when all functions were
 * hooked.
 */
static uint64_t cost_of(const struct budget_function *slot, double stayed_ps)
{
	const double ps = budget.are_some_out && !slot->is_out ? stayed_ps
							       : budget.full_ps;

	return slot->is_trap ? slot->new_calls * TRAP_NS
			     : (uint64_t)((double)slot->new_calls * ps / 1000);
}

/* Returns the cost of all calls since the last poll. */
static uint64_t weigh_calls(uint64_t cpu_ns)
{
	const double stayed_ps = some_ps(cpu_ns);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < budget.functions.room; i++) {
		struct budget_function *slot = &budget.functions.slots[i];

		slot->cost_ns = cost_of(slot, stayed_ps);
		sum += slot->cost_ns;
	}
	return sum;
}

/* ---- Unhooking ---- */

/*
 * Inspects new functions, at most once in a poll, because this visits all
 * hooks.
 */
static int learn(void)
{
	int err;

	if (budget.has_learnt)
		return 0;
	err = budget_hooks_learn(&budget.functions);
	if (!err) {
		budget.has_learnt = 1;
		budget.learnt = budget.functions.count;
		budget_records_in(&budget.functions);
	}
	return err;
}

static uint64_t a_second(uint64_t amount, uint64_t interval_ns)
{
	return (uint64_t)((double)amount * 1e9 / (double)MAX(interval_ns, 1));
}

/*
 * Chooses functions to unhook until the cost of the remaining ones is at most
 * allowed_ns. Returns the cost of the chosen ones.
 */
static uint64_t choose(const struct interval *past, uint64_t cost_ns,
		       uint64_t allowed_ns)
{
	const uint32_t count = budget_functions_sort(&budget.functions,
						     allowed_ns / CHEAP_PART);
	const uint64_t wall_ns = sys_clock_ns(CLOCK_REALTIME);
	uint64_t saved_ns = 0;

	for (uint32_t i = 0; i < count && cost_ns > allowed_ns + saved_ns;
	     i++) {
		struct budget_function *slot =
			&budget.functions.slots[budget.functions.order[i]];
		const struct budget_rate rate = { .calls = slot->new_calls,
						  .cpu_ns = past->program_ns,
						  .is_fair = past->is_survey };

		slot->out_cost = a_second(slot->cost_ns, past->wall_ns);
		if (budget_records_out(slot, &rate, wall_ns))
			break; /* no room for its record */
		slot->is_chosen = slot->was_too_costly = 1;
		saved_ns += slot->cost_ns;
	}
	return saved_ns;
}

/*
 * Chooses functions that were unhooked before this survey and cost little in
 * it: they may belong to another phase of the program, and would cost a whole
 * interval when that phase returns. A function that costs little in a few
 * surveys stays hooked.
 */
static void choose_remembered(const struct interval *past, uint64_t allowed_ns)
{
	const uint64_t least = a_second(allowed_ns / CHEAP_PART, past->wall_ns);
	const uint64_t wall_ns = sys_clock_ns(CLOCK_REALTIME);

	for (uint32_t i = 0; i < budget.functions.room; i++) {
		struct budget_function *slot = &budget.functions.slots[i];
		const struct budget_rate rate = { .calls = slot->new_calls,
						  .cpu_ns = past->program_ns,
						  .is_fair = 1 };

		if (!slot->is_back || slot->is_chosen)
			continue;
		slot->out_cost /= FORGET_PART;
		if (slot->may_change && !slot->is_out &&
		    slot->out_cost > least &&
		    budget_records_out(slot, &rate, wall_ns) == 0)
			slot->is_chosen = 1;
	}
}

static uint64_t survey_lasts_ns(void)
{
	return MIN(MAX(SURVEY_NS, budget.change_ns), SURVEY_LONG);
}

/* Sets the time of the next survey, which is at most wait_ns from now. */
static void set_survey(uint64_t now_ns, double wait_ns)
{
	const double age_ns = (double)(now_ns - budget.start.now_ns);
	const double early_ns = budget_surveys_early_ns(wait_ns, age_ns);

	budget.is_early = early_ns < wait_ns;
	budget.survey_ns = now_ns + (uint64_t)early_ns;
}

/*
 * Returns how long the process takes, on average, to use as much CPU time as
 * the two changes of code in a survey. If no survey has hooked the functions
 * yet, this takes longer than unhooking them.
 */
static double changes_ns(uint64_t now_ns)
{
	const uint64_t hook_ns = budget.hook_cpu_ns ? budget.hook_cpu_ns
						    : budget.unhook_cpu_ns * 2;
	const double age_ns = (double)(now_ns - budget.start.now_ns);
	const double used_ns = (double)(process_cpu_ns() - budget.start.cpu_ns);

	return (double)(hook_ns + budget.unhook_cpu_ns) *
	       MAX(age_ns / MAX(used_ns, 1), 1);
}

/*
 * Sets the time of the next survey so that surveys use about their part of the
 * budget. During a survey clew uses as much time as the unhooked functions cost
 * before, and at most all CPU time. The changes of code cost more if many
 * functions are unhooked.
 */
static void plan_survey(uint64_t now_ns, uint64_t cpu_a_second)
{
	const double lasts_ns = (double)(survey_lasts_ns() + budget.change_ns);
	double part;
	uint64_t out_ns = 0;

	for (uint32_t i = 0; i < budget.functions.room; i++)
		if (budget.functions.slots[i].is_out)
			out_ns += budget.functions.slots[i].out_cost;
	out_ns = MIN(out_ns, cpu_a_second);
	part = (double)out_ns / (double)MAX(cpu_a_second, 1);
	set_survey(now_ns, budget_surveys_wait_ns(rt.config->budget,
						  lasts_ns * part +
							  changes_ns(now_ns)));
}

/*
 * Returns which percentage of the budget may be used: less than 100 while the
 * total cost exceeds the budget.
 */
static uint64_t limit_percent(void)
{
	return budget.debt_ns > 0 ? ROOM_PERCENT : 100;
}

/* Returns whether the calls cost more than they may. */
static int costs_too_much(const struct interval *past)
{
	return past->calls_ns > past->budget_ns * limit_percent() / 100;
}

static uint64_t room_percent(void)
{
	return budget.debt_ns > 0 ? ROOM_PERCENT / 2 : ROOM_PERCENT;
}

static uint32_t state_of(int err)
{
	if (err != -EPERM)
		return WIRE_BUDGET_CODE;
	return proc_is_traced() ? WIRE_BUDGET_TRACED : WIRE_BUDGET_FILTER;
}

/*
 * Returns what the functions that are unhooked now have cost since the last
 * poll.
 */
static uint64_t weigh_out(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < budget.functions.room; i++)
		if (budget.functions.slots[i].is_out)
			sum += budget.functions.slots[i].cost_ns;
	return sum;
}

static void leave_out(const struct interval *past, uint64_t now_ns)
{
	const uint64_t allowed_ns = past->budget_ns * room_percent() / 100;
	uint64_t cost_ns, cpu_ns, saved_ns = 0;
	int err = now_ns < budget.again_ns ? -EBUSY : learn();

	if (err)
		return;
	cost_ns = past->calls_ns - weigh_out();
	if (costs_too_much(past)) {
		/*
		 * If this fails, the numbers of callees from the last time are
		 * used.
		 */
		budget_functions_find_callees(&budget.functions);
		saved_ns = choose(past, cost_ns, allowed_ns);
	}
	if (past->is_survey)
		choose_remembered(past, allowed_ns);
	cpu_ns = thread_cpu_ns();
	err = budget_hooks_change(&budget.functions, 0);
	budget.unhook_cpu_ns = thread_cpu_ns() - cpu_ns;
	if (err) {
		budget_records_in(&budget.functions);
		budget.again_ns = now_ns + AGAIN_NS;
	} else {
		budget.has_news = 1;
	}
	rt.header->budget_state = err ? state_of(err)
				  : cost_ns > past->budget_ns + saved_ns
					  ? WIRE_BUDGET_FIXED
					  : WIRE_BUDGET_KEPT;
	plan_survey(now_ns, a_second(past->cpu_ns, past->wall_ns));
}

/* ---- What earlier processes have learnt ---- */

/*
 * Chooses a function that earlier processes have unhooked. Surveys correct its
 * rate. Returns whether it is chosen.
 */
static int choose_recalled(struct budget_function *slot, uint64_t wall_ns)
{
	const struct budget_rate rate = { .calls = slot->recalled_per_s,
					  .cpu_ns = 1000000000 };
	const double cost_ns = (double)rate.calls * budget.full_ps / 1000;

	if (slot->is_out || !slot->may_change ||
	    budget_records_out(slot, &rate, wall_ns))
		return 0;
	slot->is_chosen = 1;
	slot->out_cost = (uint64_t)MIN(cost_ns, 1e9);
	return 1;
}

/* Does this for all functions of modules that were loaded recently. */
static void recall(uint64_t now_ns, int (*unhook)(struct budget_functions *))
{
	const uint64_t wall_ns = sys_clock_ns(CLOCK_REALTIME);
	uint64_t count = 0;

	if (!budget_learnt_recall(&budget.functions))
		return;
	budget.has_learnt = 0;
	if (learn())
		return;
	for (uint32_t i = 0; i < budget.functions.room; i++) {
		struct budget_function *slot = &budget.functions.slots[i];

		if (slot->recalled_per_s)
			count += (uint64_t)choose_recalled(slot, wall_ns);
		slot->recalled_per_s = 0;
	}
	unhook(&budget.functions);
	budget_records_in(&budget.functions);
	budget.unhook_cpu_ns =
		MAX(budget.unhook_cpu_ns, count * UNHOOK_LIVE_NS);
	if (!budget.survey_ns)
		plan_survey(now_ns, 1000000000);
}

static int recall_at_start(void *unused)
{
	(void)unused;
	recall(budget.start.now_ns, budget_hooks_unhook_idle);
	return 0;
}

static int unhook(struct budget_functions *functions)
{
	return budget_hooks_change(functions, 0);
}

/*
 * Writes what was learnt for later processes. This happens while the process
 * runs, because many are killed at the end.
 */
static void keep_learnt(uint64_t now_ns)
{
	const uint64_t cpu_ns = rt.header->budget_cpu_ns;
	const uint64_t cost_ns = MIN(rt.header->budget_cost_ns, cpu_ns);
	const uint64_t age_ns = now_ns - budget.start.now_ns;

	if (!budget.has_news || now_ns < budget.keep_ns)
		return;
	budget.has_news =
		budget_learnt_keep(&budget.functions, cpu_ns - cost_ns) != 0;
	budget.keep_ns = now_ns + MIN(age_ns, KEEP_MOST_NS);
}

/* ---- Polling ---- */

/*
 * Returns the CPU time that clew's own thread has used since the clocks *then
 * were read. The thread may have ended and been created again meanwhile
 * (watch.h).
 */
static uint64_t own_since_last(const struct budget_clocks *then)
{
	return then->own_ns -
	       (then->own_ns < budget.last.own_ns ? 0 : budget.last.own_ns);
}

/*
 * Divides the CPU time from the last poll to `then` into the program's and
 * clew's.
 */
static struct interval account(const struct budget_clocks *then)
{
	const uint64_t own_ns = own_since_last(then);
	const uint64_t cpu_ns = then->cpu_ns - budget.last.cpu_ns;
	struct interval past = { .wall_ns = then->now_ns - budget.last.now_ns,
				 .cpu_ns = cpu_ns,
				 .is_survey = budget.is_survey };
	const uint64_t contexts_ns = weigh_contexts();
	const uint64_t fixed_ns = own_ns + weigh_samples(cpu_ns);
	uint64_t all_ns = contexts_ns + fixed_ns, target_ns;

	correct_price(cpu_ns - MIN(all_ns, cpu_ns));
	past.calls_ns = weigh_calls(cpu_ns);
	all_ns += past.calls_ns;
	/*
	 * Estimates may be too high: clew seldom uses more than three quarters
	 * of the time.
	 */
	past.program_ns = MAX(cpu_ns - MIN(all_ns, cpu_ns), cpu_ns / 4);
	if (budget.are_some_out)
		budget_pace_go_on(&budget.pace, &budget.functions, 0,
				  past.program_ns);
	target_ns = MAX(cpu_ns - MIN(past.calls_ns + fixed_ns, cpu_ns),
			cpu_ns / 10);
	/* Polling has a separate part of the budget (pause_after()). */
	past.budget_ns = target_ns * rt.config->budget / 1000;
	rt.header->budget_cpu_ns += cpu_ns;
	rt.header->budget_cost_ns += MIN(all_ns, cpu_ns);
	budget.debt_ns +=
		(double)(past.calls_ns + fixed_ns) - (double)past.budget_ns;
	budget.debt_ns = MAX(budget.debt_ns, -CREDIT_NS);
	budget.last = *then;
	budget_records_go_on(&budget.functions, past.program_ns);
	return past;
}

/*
 * Reads the clocks, and then all counts. Sets *late_ns to the time that this
 * thread has waited for a processor meanwhile.
 */
static int count_once(struct budget_clocks *at, uint64_t *late_ns)
{
	struct budget_clocks after;
	uint64_t past_ns, used_ns;
	int err;

	*at = read_clocks(sys_clock_ns(CLOCK_MONOTONIC));
	err = budget_functions_count(&budget.functions);
	after = read_clocks(sys_clock_ns(CLOCK_MONOTONIC));
	past_ns = after.now_ns - at->now_ns;
	used_ns = after.own_ns - at->own_ns;
	*late_ns = past_ns > used_ns ? past_ns - used_ns : 0;
	return err;
}

/*
 * Reads the clocks and all counts. Returns -EAGAIN if they do not describe the
 * same moment, because other threads have used the processor in between; a new
 * interval then begins. Returns another -errno if the counts cannot be read.
 */
static int count_at(struct budget_clocks *at)
{
	uint64_t late_ns;
	int tries = 0, err;

	do
		err = count_once(at, &late_ns);
	while (!err && late_ns > LATE_NS && budget.afresh < AFRESH_MOST &&
	       tries++ < AFRESH_MOST);
	if (err)
		return err;
	if (!tries) {
		budget.afresh = 0;
		return 0;
	}
	budget.afresh++;
	rt.header->budget_cpu_ns += at->cpu_ns - budget.last.cpu_ns;
	budget_records_go_on(&budget.functions,
			     at->cpu_ns - budget.last.cpu_ns);
	budget.last = *at;
	return -EAGAIN;
}

/*
 * Adds a survey with a guessed cost of a call; or corrects the estimates of all
 * these surveys, since that cost is known now. Each survey says which functions
 * were called at its time, so none is discarded.
 */
static void note_unsure(const struct interval *past, int is_sure)
{
	struct unsure_surveys *unsure = &budget.unsure;
	double program_ns;

	if (!is_sure) {
		unsure->cpu_ns += (double)past->cpu_ns;
		unsure->program_ns += (double)past->program_ns;
		unsure->calls += (double)count_calls();
	} else if (unsure->cpu_ns > 0) {
		program_ns = MAX(unsure->cpu_ns -
					 unsure->calls * budget.full_ps / 1000,
				 unsure->cpu_ns / 4);
		budget_records_settle(&budget.functions,
				      unsure->program_ns / program_ns);
		*unsure = (struct unsure_surveys){ 0 };
	}
}

static void end_survey(const struct interval *past)
{
	const int is_sure = budget_pace_is_known(&budget.functions);

	rt.header->budget_surveys++;
	note_unsure(past, is_sure);
	budget_records_correct(&budget.functions, past->program_ns, is_sure);
}

static void judge(const struct budget_clocks *then)
{
	const struct interval past = account(then);

	if (past.is_survey)
		end_survey(&past);
	budget.is_survey = 0;
	if (past.is_survey || costs_too_much(&past))
		leave_out(&past, then->now_ns);
	else
		rt.header->budget_state = WIRE_BUDGET_KEPT;
}

/* ---- Hooking again ---- */

/*
 * Begins a survey, after all functions were hooked again. Calls before this
 * moment do not belong to it.
 */
static void begin_survey(void)
{
	struct budget_clocks now;

	if (!count_at(&now))
		account(&now);
	budget_records_in(&budget.functions);
	budget.is_survey = 1;
}

static void survey(void)
{
	const uint64_t start_ns = sys_clock_ns(CLOCK_MONOTONIC);
	const uint64_t cpu_ns = thread_cpu_ns();

	if (learn())
		return;
	for (uint32_t i = 0; i < budget.functions.room; i++) {
		struct budget_function *slot = &budget.functions.slots[i];

		slot->is_chosen = slot->is_back = slot->is_out;
	}
	if (!budget_hooks_change(&budget.functions, 1))
		begin_survey();
	budget.hook_cpu_ns = thread_cpu_ns() - cpu_ns;
	budget.change_ns = sys_clock_ns(CLOCK_MONOTONIC) - start_ns;
}

/*
 * Returns the time until the next poll. Polling itself costs time and has its
 * own part of the budget. Unused time is saved up, up to a limit, so that the
 * first polls after a quiet period may follow each other closely.
 */
static uint64_t pause_after(const struct budget_clocks *then,
			    const struct budget_clocks *before)
{
	const double own_ns = (double)(thread_cpu_ns() - then->own_ns);
	const double earned = (double)(then->cpu_ns - before->cpu_ns) *
			      (double)rt.config->budget / 1000 /
			      BUDGET_OWN_PART;
	const double past_ns = (double)(then->now_ns - before->now_ns);

	budget.credit_ns = MIN(budget.credit_ns + earned - own_ns, CREDIT_NS);
	budget.poll_ns = MIN(2 * budget.poll_ns, POLL_NS);
	if (budget.credit_ns >= 0)
		return budget.poll_ns;
	return POLL_NS + (uint64_t)MIN(-budget.credit_ns / earned * past_ns,
				       PAUSE_MOST_NS);
}

static uint64_t run_poll(uint64_t now_ns)
{
	struct budget_clocks then = read_clocks(now_ns);
	const struct budget_clocks before = budget.last;
	uint64_t pause_ns;

	rt.header->budget_seen_ns = sys_clock_ns(CLOCK_REALTIME);
	if (then.cpu_ns - before.cpu_ns < LEAST_CPU_NS) {
		budget.idle_ns = MIN(2 * budget.idle_ns, IDLE_NS);
		keep_learnt(now_ns);
		return now_ns + budget.idle_ns;
	}
	budget.idle_ns = POLL_NS;
	if (count_at(&then))
		return now_ns + POLL_NS / 4;
	budget.has_learnt = 0;
	pause_ns = pause_after(&then, &before);
	if (budget.functions.count > budget.learnt)
		learn();
	judge(&then);
	if (budget.survey_ns && now_ns >= budget.survey_ns &&
	    (budget.debt_ns <= 0 || budget.is_early) && are_any_out()) {
		survey();
		plan_survey(now_ns, UINT64_C(1000000000));
		if (budget.is_survey) {
			pause_ns = survey_lasts_ns();
			/* Functions of another phase may remain hooked. */
			budget.poll_ns = POLL_FIRST_NS / 2;
		}
	}
	if (!budget.is_survey)
		recall(now_ns, unhook);
	keep_learnt(now_ns);
	return sys_clock_ns(CLOCK_MONOTONIC) + pause_ns;
}

static uint64_t take_turn(uint64_t now_ns)
{
	uint64_t next_ns = now_ns + POLL_FIRST_NS;

	if (rt.header->state != WIRE_RUNNING)
		return now_ns + BEGIN_NS;
	if (is_this_process(&budget.process)) {
		next_ns = run_poll(now_ns);
	} else {
		begin_process(now_ns);
		recall(now_ns, unhook);
	}
	budget.are_some_out =
		budget_functions_begin_interval(&budget.functions);
	return next_ns;
}

/* ---- Start ---- */

static void forget_session(void)
{
	budget.process.start_ns = 0;
	budget.survey_ns = budget.keep_ns = 0;
	budget.has_news = 0;
	budget.hook_cpu_ns = budget.unhook_cpu_ns = 0;
	budget_records_forget();
	budget_learnt_forget();
	for (uint32_t i = 0; i < budget.functions.room; i++) {
		struct budget_function *slot = &budget.functions.slots[i];

		slot->record = NULL;
		slot->is_out = slot->is_chosen = slot->was_too_costly = 0;
		slot->recalled_per_s = 0;
		memset(slot->paced_calls, 0, sizeof(slot->paced_calls));
		memset(slot->paced_ns, 0, sizeof(slot->paced_ns));
	}
}

void budget_start(void)
{
	if (!rt.config->budget)
		return;
	forget_session();
	rt.header->budget = rt.config->budget;
	/* While clew attaches, the controller itself is the tracer. */
	if ((!rt.is_late && !trap_is_possible()) || trap_install()) {
		rt.header->budget_state = WIRE_BUDGET_TRACED;
		return;
	}
	rt.header->budget_call_ps = budget_price_measure();
	budget.full_ps = rt.header->budget_call_ps;
	budget.pace = (struct budget_pace){ .measured_ps = budget.full_ps };
	budget_price_begin(&budget.price, budget.full_ps);
	budget.started = this_process();
	budget.start = (struct budget_clocks){
		.now_ns = sys_clock_ns(CLOCK_MONOTONIC),
		.cpu_ns = process_cpu_ns(),
	};
	/* Where clew attaches, the hooks are not written yet. */
	if (!rt.is_late)
		apart_call(recall_at_start, NULL);
	watch_start_job(take_turn);
}

/*
 * Returns the CPU time since the last poll of the process, or of a child that
 * was not polled yet.
 */
static uint64_t rest_ns(void)
{
	const uint64_t cpu_ns = process_cpu_ns();
	const uint64_t seen_ns =
		is_this_process(&budget.process) ? budget.last.cpu_ns : 0;

	return cpu_ns > seen_ns ? cpu_ns - seen_ns : 0;
}

void budget_note_end(void)
{
	if (rt.header->budget)
		rt.header->budget_rest_ns = rest_ns();
}

void budget_end(void)
{
	budget_records_end(rest_ns());
}
