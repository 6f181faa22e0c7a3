/* SPDX-License-Identifier: MIT */
#include "report/write/text_writer.h"

#include <stdlib.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/model/confidence.h"
#include "report/view/java_methods.h"
#include "report/write/text_probes.h"

#define GROUPED(number)  (text_grouped(number).text)
#define DOUBTS_NAMED     3
#define INTRINSICS_NAMED 3
#define MAKERS_NAMED     3

/* "; 3 refused: 2 for this reason, 1 for that" */
static void write_unhooked(FILE *out, const struct coverage *coverage,
			   enum coverage_class class, uint64_t all,
			   const char *what)
{
	uint8_t order[VERDICT_COUNT];
	const char *separator = ": ";

	if (all == 0)
		return;
	fprintf(out, "; %s %s", GROUPED(all), what);
	coverage_order(coverage, order);
	for (unsigned int i = 0; i < VERDICT_COUNT; i++) {
		uint64_t number = coverage->by_verdict[order[i]];

		if (number == 0 || coverage_class(order[i]) != class)
			continue;
		fputs(separator, out);
		if (number != all)
			fprintf(out, "%s ", GROUPED(number));
		fputs(verdict_text(order[i]), out);
		separator = ", ";
	}
}

void text_coverage(FILE *out, const struct coverage *coverage,
		   const char *hooked)
{
	fprintf(out, "%s of %s functions %s", GROUPED(coverage->hooked),
		GROUPED(coverage_eligible(coverage)), hooked);
	write_unhooked(out, coverage, COVERAGE_REFUSED, coverage->refused,
		       "refused");
	write_unhooked(out, coverage, COVERAGE_LEFT_ALONE, coverage->left_alone,
		       "left alone");
}

static void write_coverage(FILE *out, const struct summary *summary)
{
	char hooked[64];

	snprintf(hooked, sizeof(hooked), "hooked in %s module%s",
		 GROUPED(summary->hooked_modules),
		 text_plural(summary->hooked_modules));
	text_coverage(out, &summary->coverage, hooked);
	fputc('\n', out);
}

/* "0 mismatches", "5 mismatches (3 id collisions, 2 stack divergences)" */
static void write_mismatches(FILE *out, const struct verdicts *calls,
			     const struct verdicts *contexts)
{
	uint64_t collisions = calls->collisions + contexts->collisions;
	uint64_t diverged = calls->diverged + contexts->diverged;
	uint64_t wrong = collisions + diverged;

	fprintf(out, "%s mismatch%s", GROUPED(wrong), wrong == 1 ? "" : "es");
	if (wrong > 0)
		fprintf(out, " (%s id collision%s, %s stack divergence%s)",
			GROUPED(collisions), text_plural(collisions),
			GROUPED(diverged), text_plural(diverged));
}

/* Of those none of which was drawn there is nothing to be said. */
static const char *write_undecided(FILE *out, const struct verdicts *verdicts,
				   const char *separator, const char *what)
{
	if (verdicts->partial + verdicts_decided(verdicts) == 0)
		return separator;
	fprintf(out, "%s%s %% of %s", separator,
		text_percentage(100 * verdicts_undecided(verdicts)).text, what);
	return " and ";
}

/* How much of all cannot be verified is known from what was drawn, too. */
static void write_unverified(FILE *out, const struct verdicts *calls,
			     const struct verdicts *contexts)
{
	const char *separator = ": ";

	if (calls->partial + contexts->partial == 0)
		return;
	fputs("not verified: the callers' whole stack was not to be seen for",
	      out);
	write_undecided(out, contexts,
			write_undecided(out, calls, " ", "calls"), "contexts");
	for (unsigned int i = 0; i < WIRE_PARTIAL_COUNT; i++) {
		if (calls->partial_by[i] + contexts->partial_by[i] == 0)
			continue;
		fprintf(out, "%s%s", separator, partial_text(i));
		separator = ", ";
	}
	fputc('\n', out);
}

static void write_bound(FILE *out, const struct verdicts *verdicts,
			const char *separator, const char *what)
{
	if (verdicts_decided(verdicts) > 0)
		fprintf(out, "%sfewer than %s %% of %s", separator,
			text_percentage(100 * verdicts->wrong_at_most).text,
			what);
	else
		fprintf(out, "%sno bound for %s", separator, what);
}

static void write_confidence(FILE *out, const struct summary *summary)
{
	const struct verdicts *calls = &summary->calls_verified;
	const struct verdicts *contexts = &summary->contexts_verified;
	const uint64_t decided = verdicts_decided(calls);

	fprintf(out, "confidence: %s call%s and ", GROUPED(decided),
		text_plural(decided));
	fprintf(out, "%s new context%s verified against the stack",
		GROUPED(verdicts_decided(contexts)),
		text_plural(verdicts_decided(contexts)));
	if (decided + verdicts_decided(contexts) > 0) {
		fputs(", ", out);
		write_mismatches(out, calls, contexts);
		write_bound(out, calls,
			    calls->partial + contexts->partial
				    ? ": of what can be verified "
				    : ": ",
			    "calls");
		write_bound(out, contexts, ", ", "contexts wrong (95 %)");
	}
	fputc('\n', out);
	write_unverified(out, calls, contexts);
}

static void write_natives(FILE *out, const struct session *session)
{
	const struct summary *summary = &session->summary;
	const struct measure *natives = &summary->natives;

	if (natives->calls == 0)
		return;
	fprintf(out, "Java: %s call%s of native methods",
		GROUPED(natives->calls), text_plural(natives->calls));
	if (summary->time_ns > 0 && !session->value)
		fprintf(out,
			", with %.1f %% of the time in them and what they call",
			100 * (double)natives->ns / (double)summary->time_ns);
	fputc('\n', out);
}

/* What a call costs whose Java callers are not known yet, and how soon they are. */
static void write_asked(FILE *out, const struct summary *summary)
{
	const struct asked_stacks *asked = &summary->asked;

	if (asked->count == 0)
		return;
	fprintf(out, "Java: %s new stack%s, ", GROUPED(asked->count),
		text_plural(asked->count));
	fprintf(out, "%s each, ", text_duration(asked->ns / asked->count).text);
	fprintf(out,
		"half of them in the first %s; other calls found theirs "
		"known\n",
		text_duration(summary_asked_half_ms(summary) * 1000000).text);
	fprintf(out,
		"Java: %s of the new stacks composed of known frames; %s "
		"verified with the machine, %s mismatched\n",
		GROUPED(asked->composed), GROUPED(asked->verified),
		GROUPED(asked->mismatched));
}

/* Whether they were called, nobody knows; it is said where others were. */
static void write_intrinsics(FILE *out, struct session *session)
{
	struct catalog *catalog = &session->catalog;
	const char *separator = "";
	uint64_t count = 0;

	if (session->summary.natives.calls == 0)
		return;
	for (size_t i = FUNCTION_FIRST; i < catalog->function_count; i++)
		count += catalog->functions[i].is_intrinsic;
	if (count == 0)
		return;
	fprintf(out,
		"Java: %s native method%s not counted where the machine has "
		"code of its own for %s: ",
		GROUPED(count), count == 1 ? " is" : "s are",
		count == 1 ? "it" : "them");
	count = 0;
	for (size_t i = FUNCTION_FIRST; i < catalog->function_count; i++) {
		if (!catalog->functions[i].is_intrinsic)
			continue;
		if (count++ == INTRINSICS_NAMED)
			break;
		fprintf(out, "%s%s", separator,
			catalog_name(catalog, (uint32_t)i));
		separator = ", ";
	}
	fputs(count > INTRINSICS_NAMED ? "...\n" : "\n", out);
}

/* Those of recordings without Java are nobody's concern. */
static void write_java_confidence(FILE *out, const struct session *session)
{
	const int is_exact = java_methods_of(&session->catalog).counted > 0;
	const struct summary *summary = &session->summary;
	const struct verdicts *stacks = &summary->stacks_verified;
	const uint64_t decided = verdicts_decided(stacks);

	if (decided == 0)
		return;
	fprintf(out,
		"Java: %s stack%s verified with the machine, %s "
		"mismatched",
		GROUPED(decided), text_plural(decided),
		GROUPED(stacks->diverged));
	write_bound(out, stacks, ": ",
		    is_exact ? "calls of Java methods wrong (95 %)\n"
			     : "calls of natives wrong (95 %)\n");
}

static void write_places(FILE *out, const uint64_t *places, const char *where)
{
	static const char *const texts[PLACE_COUNT] = {
		[PLACE_LEAF] = "in the innermost function",
		[PLACE_CALLER] = "in its caller",
		[PLACE_CALLEE] = "in a callee",
		[PLACE_SIBLING] = "in a sibling",
		[PLACE_OUTER] = "further out",
		[PLACE_MODULE] = "elsewhere",
		[PLACE_TIMED] = "known by time",
		[PLACE_NEWEST] = "the newest there",
		[PLACE_MAKER] = "by maker",
		[PLACE_UNKNOWN] = "unknown",
	};
	const char *separator = ": ";

	fprintf(out, "%s in %s code", GROUPED(sample_places_sum(places)),
		where);
	for (unsigned int i = 0; i < PLACE_COUNT; i++) {
		if (places[i] == 0)
			continue;
		fprintf(out, "%s%s %s", separator, GROUPED(places[i]),
			texts[i]);
		separator = ", ";
	}
}

/* How it is known which code samples were in, where that is in doubt at all. */
static void write_sample_places(FILE *out, const struct summary *summary)
{
	const struct sample_places *places = &summary->places;

	if (sample_places_sum(places->dynamic) == 0)
		return;
	fputs("samples: ", out);
	write_places(out, places->dynamic, "dynamic");
	if (sample_places_sum(places->native) > 0) {
		fputs("; ", out);
		write_places(out, places->native, "native");
	}
	fputc('\n', out);
}

/* Each costs as much as hundreds of calls. */
static void write_traps(FILE *out, const struct summary *summary)
{
	if (summary->trap_hits > 0)
		fprintf(out, "slow: %s breakpoint hit%s\n",
			GROUPED(summary->trap_hits),
			text_plural(summary->trap_hits));
}

/* That was asked for; but whoever looks at times has to know. */
static void write_waits(FILE *out, const struct summary *summary)
{
	if (summary->waits.count > 0)
		fprintf(out,
			"waits: threads waited %s time%s, %s in all, until "
			"packets were counted\n",
			GROUPED(summary->waits.count),
			text_plural(summary->waits.count),
			text_duration(summary->waits.ns).text);
}

static void write_doubts(FILE *out, struct session *session)
{
	const struct summary *summary = &session->summary;

	if (summary->looping == 0)
		return;
	fprintf(out,
		"in doubt: %s function%s, to the own start; a call of "
		"itself by a jump is taken for that: ",
		GROUPED(summary->looping),
		summary->looping == 1 ? " jumps" : "s jump");
	for (size_t i = 0; i < summary->looping && i < DOUBTS_NAMED; i++)
		fprintf(out, "%s%s", i ? ", " : "",
			catalog_name(&session->catalog,
				     summary->looping_some[i]));
	fputs(summary->looping > DOUBTS_NAMED ? "...\n" : "\n", out);
}

/* What is not exact, for the sake of a budget. */
static void write_budget(FILE *out, const struct summary *summary)
{
	const struct summary_budget *budget = &summary->budget;
	const uint64_t all = summary->calls + budget->missed_calls;

	if (budget->thousandths == 0)
		return;
	fprintf(out, "budget: %g %% of CPU time",
		(double)budget->thousandths / 10);
	if (budget->cpu_ns > budget->cost_ns)
		fprintf(out, "; clew's calls took %s %% of %s, as estimated",
			text_percentage(
				100 * (double)budget->cost_ns /
				(double)(budget->cpu_ns - budget->cost_ns))
				.text,
			text_duration(budget->cpu_ns - budget->cost_ns).text);
	fputs(budget->functions ? "\n" : "; nothing was left out\n", out);
	if (budget->functions == 0)
		return;
	fprintf(out,
		"left out: %s function%s, counted for {so much} of the time "
		"only: more calls were made, and what they called then stands "
		"below their callers\n",
		GROUPED(budget->functions), text_plural(budget->functions));
	fprintf(out,
		"exact: %s call%s of other functions, %s %% of all; some %s "
		"were not counted\n",
		GROUPED(budget->exact_calls), text_plural(budget->exact_calls),
		text_percentage(all ? 100 * (double)budget->exact_calls /
						(double)all
				    : 0)
			.text,
		GROUPED(budget->missed_calls));
}

/* " (libx.so, liby.so)": the modules that make code, whose calls these are. */
static void write_makers(FILE *out, const struct catalog *catalog)
{
	size_t count = 0;

	for (size_t i = 0; i < catalog->module_count; i++) {
		const struct catalog_module *module = &catalog->modules[i];

		if (!module->is_maker || module->state != MODULE_IS_HOOKED)
			continue;
		if (count < MAKERS_NAMED)
			fprintf(out, "%s%s", count ? ", " : " (", module->name);
		count++;
	}
	if (count > 0)
		fputs(count > MAKERS_NAMED ? "...)" : ")", out);
}

static void write_losses(FILE *out, const struct session *session)
{
	const struct summary *summary = &session->summary;

	for (unsigned int i = 0; i < WIRE_FOLD_COUNT; i++) {
		if (summary->folds[i] > 0)
			fprintf(out,
				"folded: %s call%s stand%s under (folded), "
				"below the nearest caller with room: %s\n",
				GROUPED(summary->folds[i]),
				text_plural(summary->folds[i]),
				summary->folds[i] == 1 ? "s" : "",
				fold_text(summary, i).text);
	}
	if (summary->strays > 0)
		fprintf(out, "stray: %s calls belong to no recorded context\n",
			GROUPED(summary->strays));
	for (unsigned int i = 0; i < WIRE_LOSS_COUNT; i++) {
		if (summary->lost_calls[i] == 0)
			continue;
		fprintf(out, "lost: %s calls were not counted: %s",
			GROUPED(summary->lost_calls[i]), loss_text(i));
		if (i == WIRE_LOSS_GENERATED)
			write_makers(out, &session->catalog);
		fputc('\n', out);
	}
	for (unsigned int i = 0; i < WIRE_SAMPLE_LOSS_COUNT; i++) {
		if (summary->lost_samples[i] > 0)
			fprintf(out, "lost: %s %s\n",
				GROUPED(summary->lost_samples[i]),
				sample_loss_text(i));
	}
}

/*
 * Of the names that were just shown, those that are addresses, and what would
 * name them.
 */
static void write_unnamed(FILE *out, const struct catalog *catalog)
{
	uint64_t *unnamed =
		memory_zeroed(catalog->module_count, sizeof(*unnamed));
	uint64_t all = 0;
	size_t most = 0;

	for (size_t i = FUNCTION_FIRST; i < catalog->function_count; i++) {
		const struct catalog_function *function =
			&catalog->functions[i];

		if (function->module == CATALOG_NO_MODULE ||
		    function->is_named || !function->name ||
		    !catalog_is_address(catalog, (uint32_t)i))
			continue;
		all++;
		if (++unnamed[function->module] > unnamed[most])
			most = function->module;
	}
	if (all > 0)
		fprintf(out,
			"unnamed: %s function%s above, most of them in %s: its "
			"debug symbols (a -dbgsym package, or "
			"DEBUGINFOD_URLS) would name them\n",
			GROUPED(all), text_plural(all),
			catalog->modules[most].name);
	free(unnamed);
}

static void write_problems(FILE *out, const struct recording *recording)
{
	for (size_t i = 0; i < recording->problem_count; i++)
		fprintf(out, "problem: %s\n", recording->problems[i]);
}

/* Why there are calls only, where nobody asked for that. */
static void write_no_time(FILE *out, const struct summary *summary)
{
	if (summary->time != WIRE_TIME_CPU && summary->time != WIRE_TIME_WALL)
		return;
	fprintf(out, "time: no sample met it");
	if (summary->ran_ns > 0)
		fprintf(out, "; it ran for %s",
			text_duration(summary->ran_ns).text);
	fputs(" (--time=exact measures each call)\n", out);
}

/* Why there are not as many samples a second as were asked for. */
static void write_clock(FILE *out, const struct summary *summary, uint64_t rate)
{
	if (rate >= summary->rate_hz - summary->rate_hz / 8)
		return;
	fprintf(out, " as this kernel ticks (%s asked for",
		GROUPED(summary->rate_hz));
	if (summary->coarse != WIRE_COARSE_NOT)
		fprintf(out, "; %s", coarse_text(summary->coarse));
	else if (summary->fine_threads > 0)
		fputs("; a finer clock is for time outside of the kernel", out);
	fputc(')', out);
}

/* What agents counted, and which of it is above. */
static void write_values(FILE *out, const struct session *session)
{
	const struct value_sum *value = session->value;

	if (value)
		fprintf(out,
			"value: %s, %s in all, as %s counted it in %s "
			"context%s\n",
			value->name,
			text_amount(session, session->summary.time_ns).text,
			probe_list_has(&session->probes, value->name)
				? "a probe"
				: "an agent",
			GROUPED(value->rows), text_plural(value->rows));
	if (value || session->values.count == 0)
		return;
	fputs("values: ", out);
	for (size_t i = 0; i < session->values.count; i++)
		fprintf(out, "%s%s", i ? ", " : "",
			session->values.items[i].name);
	fputs("; --value=NAME shows one\n", out);
}

static void write_time(FILE *out, const struct summary *summary)
{
	const uint64_t rate = summary_rate_hz(summary);

	if (summary->time_ns == 0) {
		write_no_time(out, summary);
		return;
	}
	fprintf(out, "time: %s of %s", text_duration(summary->time_ns).text,
		time_text(summary->time));
	if (summary->samples > 0)
		fprintf(out, " in %s sample%s", GROUPED(summary->samples),
			text_plural(summary->samples));
	if (summary->samples > 0 && summary->time == WIRE_TIME_CPU) {
		fprintf(out, ", %s a second", GROUPED(rate));
		write_clock(out, summary, rate);
	}
	fputc('\n', out);
}

/* Of the time that calls took. Which of them waited was not measured. */
static void write_presence(FILE *out, const struct timings *timings)
{
	const uint64_t off_ns = timings_off_cpu_ns(timings);

	if (timings->present_ns == 0)
		return;
	fprintf(out,
		"off the CPU: %s, %.1f %% of the %s that the threads were "
		"there; in which functions is not known (--libc shows calls "
		"that wait)\n",
		text_duration(off_ns).text,
		100 * (double)off_ns / (double)timings->present_ns,
		text_duration(timings->present_ns).text);
}

/* Of calls that were timed one by one. */
static void write_timings(FILE *out, const struct session *session)
{
	const struct timings *timings = &session->tree.timings;
	struct timing raw = { 0 };

	if (!timings_are_there(timings))
		return;
	for (size_t i = 0; i < timings->node_count; i++)
		timing_sum(&raw, &timings->nodes[i]);
	fprintf(out, "timed: %s call%s", GROUPED(timings->ended_calls),
		text_plural(timings->ended_calls));
	if (timings->open_calls > 0)
		fprintf(out, ", %s more had not ended",
			GROUPED(timings->open_calls));
	if (timings->untimed_calls > 0)
		fprintf(out, ", %s more for want of room were not",
			GROUPED(timings->untimed_calls));
	fprintf(out,
		"; what measuring took is taken off (as measured: %s), but "
		"not from min and max\n",
		text_duration(raw.self_ns).text);
	write_presence(out, timings);
}

void text_summary(FILE *out, struct session *session)
{
	const struct summary *summary = &session->summary;

	if (session->is_quiet)
		return;
	fprintf(out, "\ntotal: %s calls in %s contexts, %s process%s",
		GROUPED(summary->calls), GROUPED(summary->contexts),
		GROUPED(summary->processes),
		summary->processes == 1 ? "" : "es");
	fprintf(out, ", %s thread%s\n", GROUPED(summary->threads),
		text_plural(summary->threads));
	if (summary->folds_recursion)
		fputs("recursion folded: a call within another one of its "
		      "function counts in the outer one's context\n",
		      out);
	if (summary->follow_ups > 0)
		fprintf(out,
			"shared: %s other thread%s counted together with the "
			"chosen ones, having followed them\n",
			GROUPED(summary->follow_ups),
			text_plural(summary->follow_ups));
	if (!session->value) {
		write_time(out, summary);
		write_timings(out, session);
		text_self_cost(out, session);
	}
	write_values(out, session);
	text_probes(out, session);
	text_marks_summary(out, session);
	write_coverage(out, summary);
	text_gaps(out, &session->catalog);
	write_confidence(out, summary);
	write_sample_places(out, summary);
	write_natives(out, session);
	write_intrinsics(out, session);
	text_java_methods(out, session);
	write_asked(out, summary);
	write_java_confidence(out, session);
	write_traps(out, summary);
	write_waits(out, summary);
	write_doubts(out, session);
	write_budget(out, summary);
	write_losses(out, session);
	write_unnamed(out, &session->catalog);
	write_problems(out, &session->recording);
}
