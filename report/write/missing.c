/* SPDX-License-Identifier: MIT */
/* See missing.h. */
#include "report/write/missing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/write/text_writer.h"

#define GROUPED(number) (text_grouped(number).text)

__attribute__((format(printf, 3, 4))) static void add(struct missing *clauses,
						      enum missing_kind kind,
						      const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		memory_exhausted();
	va_end(arguments);
	clauses->items =
		memory_grow(clauses->items, clauses->count, &clauses->capacity,
			    sizeof(*clauses->items));
	clauses->items[clauses->count++] =
		(struct missing_clause){ .kind = kind, .text = text };
}

static void add_problems(struct missing *clauses,
			 const struct recording *recording)
{
	for (size_t i = 0; i < recording->problem_count; i++)
		if (!recording_is_expected(recording, i))
			add(clauses, MISSING_PROBLEM, "%s",
			    recording->problems[i]);
}

static uint64_t sum_of(const uint64_t *numbers, unsigned int count)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += numbers[i];
	return sum;
}

/* Returns the number rounded to two digits. */
static uint64_t rounded(uint64_t number)
{
	uint64_t unit = 1;

	while (number / unit >= 100)
		unit *= 10;
	return (number + unit / 2) / unit * unit;
}

/* Adds the calls that --budget did not count, as far as they are known. */
static void add_missed(struct missing *clauses,
		       const struct summary_budget *budget)
{
	if (!budget->surveys)
		add(clauses, MISSING_CALLS,
		    "an unknown number of calls of %s function%s (--budget)",
		    GROUPED(budget->functions), text_plural(budget->functions));
	else if (budget->surveys < SUMMARY_SURVEYS_ENOUGH)
		add(clauses, MISSING_CALLS,
		    "roughly %s calls of %s function%s (--budget: %s "
		    "survey%s)",
		    GROUPED(rounded(budget->missed_calls)),
		    GROUPED(budget->functions), text_plural(budget->functions),
		    GROUPED(budget->surveys), text_plural(budget->surveys));
	else
		add(clauses, MISSING_CALLS,
		    "about %s calls of %s function%s (--budget)",
		    GROUPED(budget->missed_calls), GROUPED(budget->functions),
		    text_plural(budget->functions));
}

static void add_calls(struct missing *clauses, const struct summary *summary)
{
	const uint64_t lost = sum_of(summary->lost_calls, WIRE_LOSS_COUNT);

	if (lost > 0)
		add(clauses, MISSING_CALLS, "%s lost call%s", GROUPED(lost),
		    text_plural(lost));
	if (summary->strays > 0)
		add(clauses, MISSING_CONTEXTS, "the contexts of %s call%s",
		    GROUPED(summary->strays), text_plural(summary->strays));
	if (summary->folded_calls > 0)
		add(clauses, MISSING_CONTEXTS,
		    "the contexts of %s folded call%s",
		    GROUPED(summary->folded_calls),
		    text_plural(summary->folded_calls));
	if (summary->folds_recursion && summary->fold_beyond > 0)
		add(clauses, MISSING_CONTEXTS,
		    "the depth of recursion beyond %s contexts",
		    GROUPED(summary->fold_beyond));
	if (summary->budget.functions > 0)
		add_missed(clauses, &summary->budget);
}

static void add_times(struct missing *clauses,
		      const struct recorded_times *times)
{
	if (recorded_times_lack_some(times))
		add(clauses, MISSING_TIME,
		    "the time of processes that were recorded without time");
}

/* The least share of the time that is mentioned. */
#define LEAST_UNSAMPLED 0.005

static void add_samples(struct missing *clauses, const struct summary *summary)
{
	uint64_t threads = summary->lost_samples[WIRE_SAMPLE_NO_TIMER];
	uint64_t lost = sum_of(summary->lost_samples, WIRE_SAMPLE_LOSS_COUNT) -
			threads - summary->lost_samples[WIRE_SAMPLE_NO_PC];
	const double unsampled = summary->time_ns
					 ? (double)summary->unsampled_ns /
						   (double)summary->time_ns
					 : 0;

	if (lost > 0)
		add(clauses, MISSING_TIME, "%s sample%s", GROUPED(lost),
		    text_plural(lost));
	if (threads > 0)
		add(clauses, MISSING_TIME, "the samples of %s thread%s",
		    GROUPED(threads), text_plural(threads));
	if (unsampled >= LEAST_UNSAMPLED)
		add(clauses, MISSING_TIME,
		    "samples for %.0f %% of the time, in %s thread%s",
		    100 * unsampled, GROUPED(summary->unsampled_threads),
		    text_plural(summary->unsampled_threads));
}

/* Adds losses that an option requested, or that are usual after attaching. */
static void add_expected(struct missing *clauses,
			 const struct expected_losses *losses)
{
	if (losses->overwritten_packets > 0)
		add(clauses, MISSING_CALLS,
		    "older calls (%s packet%s overwritten)",
		    GROUPED(losses->overwritten_packets),
		    text_plural(losses->overwritten_packets));
	if (losses->short_calls > 0)
		add(clauses, MISSING_CALLS, "%s short call%s (--min-duration)",
		    GROUPED(losses->short_calls),
		    text_plural(losses->short_calls));
	if (losses->rootless_threads > 0)
		add(clauses, MISSING_CONTEXTS,
		    "the outer callers in %s thread%s",
		    GROUPED(losses->rootless_threads),
		    text_plural(losses->rootless_threads));
}

static void add_modules(struct missing *clauses, const struct catalog *catalog)
{
	char *modules = text_unhooked_modules(catalog);

	if (modules)
		add(clauses, MISSING_CODE, "%s", modules);
	free(modules);
}

static void add_code(struct missing *clauses, const struct session *session)
{
	const struct coverage *coverage = &session->summary.coverage;

	if (coverage->refused > 0)
		add(clauses, MISSING_CODE, "%s of %s functions",
		    GROUPED(coverage->refused),
		    GROUPED(coverage_eligible(coverage)));
	if (coverage->bare_bytes > 0)
		add(clauses, MISSING_CODE, "%s byte%s of unknown code",
		    GROUPED(coverage->bare_bytes),
		    text_plural(coverage->bare_bytes));
}

static void add_probes(struct missing *clauses, const struct probe_list *probes)
{
	for (size_t i = 0; i < probes->count; i++)
		if (!listed_probe_places(&probes->items[i]))
			add(clauses, MISSING_PROBE, "probe %s (%s)",
			    probes->items[i].name,
			    listed_probe_reason(&probes->items[i]));
}

const char *missing_word(enum missing_kind kind)
{
	static const char *const words[] = {
		[MISSING_PROBLEM] = "problem",   [MISSING_CALLS] = "calls",
		[MISSING_CONTEXTS] = "contexts", [MISSING_CODE] = "code",
		[MISSING_TIME] = "time",         [MISSING_PROBE] = "probe",
	};

	return words[kind];
}

void missing_find(struct missing *missing, const struct session *session)
{
	*missing = (struct missing){ 0 };
	add_problems(missing, &session->recording);
	add_calls(missing, &session->summary);
	add_modules(missing, &session->catalog);
	add_times(missing, &session->summary.times);
	add_samples(missing, &session->summary);
	add_probes(missing, &session->probes);
	add_expected(missing, &session->recording.losses);
	add_code(missing, session);
}

void missing_fini(struct missing *missing)
{
	for (size_t i = 0; i < missing->count; i++)
		free(missing->items[i].text);
	free(missing->items);
}
