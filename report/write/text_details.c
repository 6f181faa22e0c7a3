/* SPDX-License-Identifier: MIT */
/*
 * The lines that --details prints below the footer: facts about the quality of
 * a recording, one a line. Each begins with a label.
 */
#include "report/write/text_writer.h"

#include "base/display_text.h"
#include "report/model/confidence.h"
#include "report/view/java_methods.h"
#include "report/write/text_probes.h"

#define GROUPED(number)  (text_grouped(number).text)
#define DOUBTS_NAMED     3
#define INTRINSICS_NAMED 3
#define MAKERS_NAMED     3

/* Writes "; 3 refused", or nothing for 0. */
static void write_number_of(FILE *out, uint64_t number, const char *what)
{
	if (number > 0)
		fprintf(out, "; %s %s", GROUPED(number), what);
}

void text_coverage(FILE *out, const struct coverage *coverage,
		   const char *hooked)
{
	fprintf(out, "%s of %s functions %s", GROUPED(coverage->hooked),
		GROUPED(coverage_eligible(coverage)), hooked);
	write_number_of(out, coverage->refused, "refused");
	write_number_of(out, coverage->left_alone, "left alone");
}

/* Writes one line for each reason for which functions are not hooked. */
static void write_unhooked(FILE *out, const struct coverage *coverage,
			   enum coverage_class class, const char *label)
{
	uint8_t order[VERDICT_COUNT];

	coverage_order(coverage, order);
	for (unsigned int i = 0; i < VERDICT_COUNT; i++) {
		const uint64_t number = coverage->by_verdict[order[i]];

		if (number > 0 && coverage_class(order[i]) == class)
			fprintf(out, "%s: %s function%s: %s\n", label,
				GROUPED(number), text_plural(number),
				verdict_text(order[i]));
	}
}

static void write_coverage(FILE *out, const struct summary *summary)
{
	const struct coverage *coverage = &summary->coverage;

	fprintf(out, "hooked: %s of %s functions in %s module%s\n",
		GROUPED(coverage->hooked), GROUPED(coverage_eligible(coverage)),
		GROUPED(summary->hooked_modules),
		text_plural(summary->hooked_modules));
	write_unhooked(out, coverage, COVERAGE_REFUSED, "refused");
	write_unhooked(out, coverage, COVERAGE_LEFT_ALONE, "left alone");
}

/*
 * Writes, for example, ": 0 were wrong" or ": 5 were wrong (3 id collisions, 2
 * stack divergences)".
 */
static void write_wrong(FILE *out, const struct verdicts *calls,
			const struct verdicts *contexts)
{
	uint64_t collisions = calls->collisions + contexts->collisions;
	uint64_t diverged = calls->diverged + contexts->diverged;
	uint64_t wrong = collisions + diverged;

	fprintf(out, ": %s %s wrong", GROUPED(wrong),
		wrong == 1 ? "was" : "were");
	if (wrong > 0)
		fprintf(out, " (%s id collision%s, %s stack divergence%s)",
			GROUPED(collisions), text_plural(collisions),
			GROUPED(diverged), text_plural(diverged));
}

/*
 * Omits a kind of which none was selected for a check. Returns the separator
 * for the next kind.
 */
static const char *write_undecided(FILE *out, const struct verdicts *verdicts,
				   const char *separator, const char *what)
{
	if (verdicts->partial + verdicts_decided(verdicts) == 0)
		return separator;
	fprintf(out, "%s%s %% of %s", separator,
		text_percentage(100 * verdicts_undecided(verdicts)).text, what);
	return " and ";
}

/*
 * Writes the share of all calls that cannot be checked, estimated from the
 * selected calls.
 */
static void write_unverified(FILE *out, const struct verdicts *calls,
			     const struct verdicts *contexts)
{
	const char *separator = ": ";

	if (calls->partial + contexts->partial == 0)
		return;
	fputs("not checked: the whole stack could not be read for", out);
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

static const char *write_bound(FILE *out, const struct verdicts *verdicts,
			       const char *separator, const char *what)
{
	if (verdicts_decided(verdicts) == 0)
		return separator;
	fprintf(out, "%sfewer than %s %% of %s", separator,
		text_percentage(100 * verdicts->wrong_at_most).text, what);
	return " and ";
}

static void write_confidence(FILE *out, const struct summary *summary)
{
	const struct verdicts *calls = &summary->calls_verified;
	const struct verdicts *contexts = &summary->contexts_verified;
	const uint64_t decided = verdicts_decided(calls);
	const uint64_t firsts = verdicts_decided(contexts);
	const char *separator = " ";

	fprintf(out, "checked: %s call%s and the first calls of ",
		GROUPED(decided), text_plural(decided));
	fprintf(out, "%s context%s were compared with the stack",
		GROUPED(firsts), text_plural(firsts));
	if (decided + firsts > 0)
		write_wrong(out, calls, contexts);
	fputc('\n', out);
	if (decided + firsts > 0) {
		fputs("checked: with 95 % confidence,", out);
		separator = write_bound(out, calls, separator, "calls");
		write_bound(out, contexts, separator, "contexts");
		fprintf(out, " %sare wrong\n",
			calls->partial + contexts->partial
				? "that can be checked "
				: "");
	}
	if (summary->jumped_functions)
		fprintf(out,
			"checked: %s function%s had left the stack by tail "
			"calls\n",
			GROUPED(summary->jumped_functions),
			text_plural(summary->jumped_functions));
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
			"; these methods and what they call took %.1f %% of "
			"the time",
			100 * (double)natives->ns / (double)summary->time_ns);
	fputc('\n', out);
}

/* Writes how long the JVM took to name the callers of new Java stacks. */
static void write_asked(FILE *out, const struct summary *summary)
{
	const struct asked_stacks *asked = &summary->asked;

	if (asked->count == 0)
		return;
	fprintf(out, "Java: the Java callers of %s new stack%s were read, in ",
		GROUPED(asked->count), text_plural(asked->count));
	fprintf(out, "%s each, ", text_duration(asked->ns / asked->count).text);
	fprintf(out,
		"half of these stacks in the first %s of the JVM; calls with a "
		"stack that was read before need no reading\n",
		text_duration(summary_asked_half_ms(summary) * 1000000).text);
	fprintf(out,
		"Java: %s of the new stacks were composed of known frames; %s "
		"of these were compared with the JVM's stack: %s %s wrong\n",
		GROUPED(asked->composed), GROUPED(asked->verified),
		GROUPED(asked->mismatched),
		asked->mismatched == 1 ? "was" : "were");
}

static void write_frozen(FILE *out, const struct summary *summary)
{
	if (summary->frozen_natives == 0)
		return;
	fprintf(out,
		"Java: %s call%s of native methods in virtual threads %s below "
		"the innermost Java method only: their stacks changed too "
		"often to read each of them\n",
		GROUPED(summary->frozen_natives),
		text_plural(summary->frozen_natives),
		summary->frozen_natives == 1 ? "counts" : "count");
}

/*
 * Writes for which native methods the JVM may run its own code (intrinsics).
 * Writes nothing if no call of a native method was counted.
 */
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
		"Java: calls of %s native method%s are not counted where the "
		"JVM runs code of its own instead (intrinsics): ",
		GROUPED(count), text_plural(count));
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

/*
 * Writes nothing if no Java stack was compared with the JVM's, as in recordings
 * without Java.
 */
static void write_java_confidence(FILE *out, const struct session *session)
{
	const int is_exact = java_methods_of(&session->catalog).counted > 0;
	const struct summary *summary = &session->summary;
	const struct verdicts *stacks = &summary->stacks_verified;
	const uint64_t decided = verdicts_decided(stacks);

	if (decided == 0)
		return;
	fprintf(out,
		"Java: %s Java stack%s compared with the JVM's stack: %s "
		"%s wrong; with 95 %% confidence,",
		GROUPED(decided), decided == 1 ? " was" : "s were",
		GROUPED(stacks->diverged),
		stacks->diverged == 1 ? "was" : "were");
	write_bound(out, stacks, " ",
		    is_exact ? "calls of Java methods"
			     : "calls of native methods");
	fputs(" are wrong\n", out);
}

static void write_places(FILE *out, const uint64_t *places, const char *where)
{
	static const char *const texts[PLACE_COUNT] = {
		[PLACE_LEAF] = "in the innermost function of the context",
		[PLACE_CALLER] = "in its caller",
		[PLACE_CALLEE] = "in a function that it had called",
		[PLACE_SIBLING] = "in a function that its caller had called",
		[PLACE_OUTER] = "in an outer function of the context",
		[PLACE_MODULE] = "elsewhere",
		[PLACE_TIMED] = "identified by their time",
		[PLACE_NEWEST] = "taken for the newest code at their address",
		[PLACE_MAKER] =
			("known only by the module that generated the code"),
		[PLACE_UNKNOWN] = "in unknown code",
	};
	const char *separator = ": ";
	const uint64_t sum = sample_places_sum(places);

	if (sum == 0)
		return;
	fprintf(out, "samples: %s in %s code", GROUPED(sum), where);
	for (unsigned int i = 0; i < PLACE_COUNT; i++) {
		if (places[i] == 0)
			continue;
		fprintf(out, "%s%s %s", separator, GROUPED(places[i]),
			texts[i]);
		separator = ", ";
	}
	fputc('\n', out);
}

/*
 * Writes how samples were placed. Writes nothing without generated code,
 * because each sample's function is then certain.
 */
static void write_sample_places(FILE *out, const struct summary *summary)
{
	const struct sample_places *places = &summary->places;

	if (sample_places_sum(places->dynamic) == 0)
		return;
	write_places(out, places->dynamic, "generated");
	write_places(out, places->native, "native");
}

static void write_traps(FILE *out, const struct summary *summary)
{
	if (summary->trap_hits > 0)
		fprintf(out,
			"slow: %s breakpoint hit%s, each as expensive as "
			"hundreds of calls\n",
			GROUPED(summary->trap_hits),
			text_plural(summary->trap_hits));
}

static void write_waits(FILE *out, const struct summary *summary)
{
	if (summary->waits.count > 0)
		fprintf(out,
			"waits: threads waited %s time%s, %s in total, until "
			"packets of the trace were counted\n",
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
		"may be undercounted: %s function%s to their own entry; a "
		"self tail call looks the same and is not counted: ",
		GROUPED(summary->looping),
		summary->looping == 1 ? " jumps" : "s jump");
	for (size_t i = 0; i < summary->looping && i < DOUBTS_NAMED; i++)
		fprintf(out, "%s%s", i ? ", " : "",
			shown_name(&session->names, &session->catalog,
				   summary->looping_some[i]));
	fputs(summary->looping > DOUBTS_NAMED ? "...\n" : "\n", out);
}

/* Writes the effect of --budget, and the counts that it made inexact. */
static void write_budget(FILE *out, const struct summary *summary)
{
	const struct summary_budget *budget = &summary->budget;
	const uint64_t all = summary->calls + budget->missed_calls;

	if (budget->thousandths == 0)
		return;
	fprintf(out, "budget: %g %% of the CPU time",
		(double)budget->thousandths / 10);
	if (budget->cpu_ns > budget->cost_ns)
		fprintf(out, "; counting took an estimated %s %% of %s",
			text_percentage(
				100 * (double)budget->cost_ns /
				(double)(budget->cpu_ns - budget->cost_ns))
				.text,
			text_duration(budget->cpu_ns - budget->cost_ns).text);
	fputs(budget->functions ? "\n" : "; each function was always counted\n",
	      out);
	if (budget->functions == 0)
		return;
	fprintf(out,
		"left out: %s function%s counted only for the share of the "
		"time that follows the name, as in {5 %%}: more calls were "
		"made, and what these called is shown below their callers\n",
		GROUPED(budget->functions),
		budget->functions == 1 ? " was" : "s were");
	if (!budget->surveys) {
		fprintf(out,
			"exact: %s call%s of all other functions; how many "
			"calls were not counted is unknown, because the "
			"program ended before a survey\n",
			GROUPED(budget->exact_calls),
			text_plural(budget->exact_calls));
		return;
	}
	fprintf(out,
		"exact: %s call%s of all other functions, %s %% of all calls; "
		"%s %s calls were not counted (%s survey%s)\n",
		GROUPED(budget->exact_calls), text_plural(budget->exact_calls),
		text_percentage(all ? 100 * (double)budget->exact_calls /
						(double)all
				    : 0)
			.text,
		budget->surveys < SUMMARY_SURVEYS_ENOUGH ? "roughly" : "about",
		GROUPED(budget->missed_calls), GROUPED(budget->surveys),
		text_plural(budget->surveys));
}

/*
 * Writes " (libx.so, liby.so)": the first hooked modules that generate code,
 * which contains the calls.
 */
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
				"folded: %s call%s shown as (folded) below the "
				"nearest caller whose context was recorded: "
				"%s\n",
				GROUPED(summary->folds[i]),
				summary->folds[i] == 1 ? " is" : "s are",
				fold_text(summary, i).text);
	}
	if (summary->strays > 0)
		fprintf(out, "stray: %s call%s to no recorded context\n",
			GROUPED(summary->strays),
			summary->strays == 1 ? " belongs" : "s belong");
	for (unsigned int i = 0; i < WIRE_LOSS_COUNT; i++) {
		if (summary->lost_calls[i] == 0)
			continue;
		fprintf(out, "lost: %s call%s not counted: %s",
			GROUPED(summary->lost_calls[i]),
			summary->lost_calls[i] == 1 ? " was" : "s were",
			loss_text(i));
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

static void write_problems(FILE *out, const struct recording *recording)
{
	for (size_t i = 0; i < recording->problem_count; i++)
		fprintf(out, "%s: %s\n",
			recording_is_expected(recording, i) ? "note"
							    : "problem",
			recording->problems[i]);
}

/* Writes why there is no time although it was sampled. */
static void write_no_time(FILE *out, const struct summary *summary)
{
	if (!summary_is_sampled(summary))
		return;
	fputs("time: no sample was taken in the program", out);
	if (summary->ran_ns > 0)
		fprintf(out, ", which ran for %s",
			text_duration(summary->ran_ns).text);
	fputs("; record with --time=exact to time each call\n", out);
}

/* Writes why there are fewer samples a second than requested. */
static void write_clock(FILE *out, const struct summary *summary, uint64_t rate)
{
	if (rate >= summary->rate_hz - summary->rate_hz / 8)
		return;
	fprintf(out,
		", the rate of the kernel's timer tick (%s a second were "
		"requested",
		GROUPED(summary->rate_hz));
	if (summary->coarse != WIRE_COARSE_NOT)
		fprintf(out, "; %s", coarse_text(summary->coarse));
	else if (summary->fine_threads > 0)
		fputs("; the finer clock samples only time outside of the "
		      "kernel",
		      out);
	fputc(')', out);
}

/* Writes the value that the table shows, or the names of available ones. */
static void write_values(FILE *out, const struct session *session)
{
	const struct value_sum *value = session->value;

	if (value)
		fprintf(out,
			"value: %s, %s in total, was counted by %s in %s "
			"context%s\n",
			value->name,
			text_amount(session, session->summary.time_ns).text,
			session->summary.is_imported ? "the other tool"
			: probe_list_has(&session->probes, value->name)
				? "a probe"
				: "an agent",
			GROUPED(value->rows), text_plural(value->rows));
	if (value || session->values.count == 0)
		return;
	fputs("values: ", out);
	for (size_t i = 0; i < session->values.count; i++)
		fprintf(out, "%s%s", i ? ", " : "",
			session->values.items[i].name);
	fputs("; --value=NAME shows one of them\n", out);
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
		fprintf(out, " from %s sample%s",
			GROUPED(summary_taken(summary)),
			text_plural(summary_taken(summary)));
	if (summary->samples > 0 && summary->time == WIRE_TIME_CPU) {
		fprintf(out, ", %s a second", GROUPED(rate));
		write_clock(out, summary, rate);
	}
	if (summary_is_guess(summary))
		fputs(", which calls between two stamps share equally "
		      "(--stamps=all measures each call)",
		      out);
	fputc('\n', out);
}

/*
 * Writes how long the threads existed without running. Only these times were
 * measured, not which calls waited.
 */
static void write_presence(FILE *out, const struct timings *timings)
{
	const uint64_t off_ns = timings_off_cpu_ns(timings);

	if (timings->present_ns == 0)
		return;
	fprintf(out,
		"off the CPU: %s, %.1f %% of the %s for which the threads "
		"existed; it is not known in which functions (--libc shows "
		"calls that wait)\n",
		text_duration(off_ns).text,
		100 * (double)off_ns / (double)timings->present_ns,
		text_duration(timings->present_ns).text);
}

/* Writes the facts about --time=exact. */
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
		fprintf(out, "; %s more had not ended",
			GROUPED(timings->open_calls));
	if (timings->untimed_calls > 0)
		fprintf(out, "; %s more were not timed for lack of room",
			GROUPED(timings->untimed_calls));
	fprintf(out,
		"; the cost of timing is subtracted (%s with it), except from "
		"min and max\n",
		text_duration(raw.self_ns).text);
	write_presence(out, timings);
}

static void put_folding(FILE *out, const struct summary *summary)
{
	if (!summary->folds_recursion)
		return;
	if (summary->fold_beyond > 0)
		fprintf(out,
			"recursion folded beyond %s contexts of a thread: a "
			"call inside another call of its function counts in "
			"that call's context, unless it has its own; "
			"--fold-recursion=never keeps all contexts\n",
			GROUPED(summary->fold_beyond));
	else
		fputs("recursion folded: a call inside another call of its "
		      "function counts in the context of the outer call\n",
		      out);
}

void text_details(FILE *out, struct session *session)
{
	const struct summary *summary = &session->summary;

	fprintf(out, "threads: %s thread%s of %s process%s made these calls\n",
		GROUPED(summary->threads), text_plural(summary->threads),
		GROUPED(summary->processes),
		summary->processes == 1 ? "" : "es");
	put_folding(out, summary);
	if (summary->follow_ups > 0)
		fprintf(out,
			"shared: %s other thread%s counted together with the "
			"chosen threads, whose counters they took over\n",
			GROUPED(summary->follow_ups),
			summary->follow_ups == 1 ? " is" : "s are");
	if (!session->value) {
		write_time(out, summary);
		write_timings(out, session);
		text_self_cost(out, session);
	}
	write_values(out, session);
	text_probes(out, session);
	text_marks_summary(out, session);
	if (!summary->is_imported) {
		write_coverage(out, summary);
		text_gaps(out, &session->catalog);
		write_confidence(out, summary);
	}
	write_sample_places(out, summary);
	write_natives(out, session);
	write_intrinsics(out, session);
	text_java_methods(out, session);
	write_asked(out, summary);
	write_frozen(out, summary);
	write_java_confidence(out, session);
	write_traps(out, summary);
	write_waits(out, summary);
	write_doubts(out, session);
	write_budget(out, summary);
	write_losses(out, session);
	write_problems(out, &session->recording);
}
