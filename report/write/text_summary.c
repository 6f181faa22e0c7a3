/* SPDX-License-Identifier: MIT */
/*
 * The footer of a report: at most three lines, which say how much was counted,
 * which data is missing, and how far the result was checked.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/recording/imported_reader.h"
#include "report/view/advice.h"
#include "report/write/text_wrap.h"
#include "report/write/text_writer.h"

#define GROUPED(number) (text_grouped(number).text)

/* ---- Total ---- */

static const char *clock_text(enum wire_time time)
{
	if (time == SUMMARY_TIME_TRACE)
		return "wall time between stamps";
	return time == WIRE_TIME_CPU ? "CPU time" : "wall time";
}

/* Writes "total", or the period that is shown. */
static void write_period(FILE *out, const struct session *session)
{
	if (session->from_ns == 0 && session->to_ns == 0)
		fputs("total", out);
	else
		fprintf(out, "from %s", text_duration(session->from_ns).text);
	if (session->to_ns > 0)
		fprintf(out, " to %s", text_duration(session->to_ns).text);
}

static void write_total(FILE *out, const struct session *session)
{
	const struct summary *summary = &session->summary;

	write_period(out, session);
	if (session->has_no_calls)
		fputs(": calls without times are not shown (record with "
		      "--trace)",
		      out);
	else if (summary->is_imported && summary->contexts == 0)
		fprintf(out, ": %s process%s", GROUPED(summary->processes),
			summary->processes == 1 ? "" : "es");
	else
		fprintf(out, ": %s call%s in %s context%s, %s process%s",
			GROUPED(summary->calls), text_plural(summary->calls),
			GROUPED(summary->contexts),
			text_plural(summary->contexts),
			GROUPED(summary->processes),
			summary->processes == 1 ? "" : "es");
	if (session->value)
		fprintf(out, "; %s: %s", session->value->name,
			text_amount(session, summary->time_ns).text);
	else if (summary->time_ns > 0)
		fprintf(out, "; %s of %s%s",
			text_duration(summary->time_ns).text,
			clock_text(summary->time),
			summary_is_guess(summary) ? ", shared equally by calls"
						  : "");
	fputc('\n', out);
	if (summary->is_imported)
		fprintf(out, "imported from %s: %s\n",
			import_format_text(summary->import_format),
			import_meaning(summary->import_flags));
}

/* ---- Missing data ---- */

/* The parts of one line. */
struct clauses {
	char **items;
	size_t count, capacity;
};

__attribute__((format(printf, 2, 3))) static void add(struct clauses *clauses,
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
	clauses->items[clauses->count++] = text;
}

static void add_problems(struct clauses *clauses,
			 const struct recording *recording)
{
	for (size_t i = 0; i < recording->problem_count; i++)
		if (!recording_is_expected(recording, i))
			add(clauses, "%s", recording->problems[i]);
}

static uint64_t sum_of(const uint64_t *numbers, unsigned int count)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += numbers[i];
	return sum;
}

static void add_calls(struct clauses *clauses, const struct summary *summary)
{
	const uint64_t lost = sum_of(summary->lost_calls, WIRE_LOSS_COUNT);

	if (lost > 0)
		add(clauses, "%s lost call%s", GROUPED(lost),
		    text_plural(lost));
	if (summary->strays > 0)
		add(clauses, "the contexts of %s call%s",
		    GROUPED(summary->strays), text_plural(summary->strays));
	if (summary->folded_calls > 0)
		add(clauses, "the contexts of %s folded call%s",
		    GROUPED(summary->folded_calls),
		    text_plural(summary->folded_calls));
	if (summary->budget.functions > 0)
		add(clauses, "about %s calls of %s function%s (--budget)",
		    GROUPED(summary->budget.missed_calls),
		    GROUPED(summary->budget.functions),
		    text_plural(summary->budget.functions));
}

/* A smaller share of the time is not mentioned. */
#define LEAST_UNSAMPLED 0.005

static void add_samples(struct clauses *clauses, const struct summary *summary)
{
	uint64_t threads = summary->lost_samples[WIRE_SAMPLE_NO_TIMER];
	uint64_t lost = sum_of(summary->lost_samples, WIRE_SAMPLE_LOSS_COUNT) -
			threads - summary->lost_samples[WIRE_SAMPLE_NO_PC];
	const double unsampled = summary->time_ns
					 ? (double)summary->unsampled_ns /
						   (double)summary->time_ns
					 : 0;

	if (lost > 0)
		add(clauses, "%s sample%s", GROUPED(lost), text_plural(lost));
	if (threads > 0)
		add(clauses, "the samples of %s thread%s", GROUPED(threads),
		    text_plural(threads));
	if (unsampled >= LEAST_UNSAMPLED)
		add(clauses, "samples for %.0f %% of the time, in %s thread%s",
		    100 * unsampled, GROUPED(summary->unsampled_threads),
		    text_plural(summary->unsampled_threads));
}

/* Adds losses that an option requested, or that are usual after attaching. */
static void add_expected(struct clauses *clauses,
			 const struct expected_losses *losses)
{
	if (losses->overwritten_packets > 0)
		add(clauses, "older calls (%s packet%s overwritten)",
		    GROUPED(losses->overwritten_packets),
		    text_plural(losses->overwritten_packets));
	if (losses->short_calls > 0)
		add(clauses, "%s short call%s (--min-duration)",
		    GROUPED(losses->short_calls),
		    text_plural(losses->short_calls));
	if (losses->rootless_threads > 0)
		add(clauses, "the outer callers in %s thread%s",
		    GROUPED(losses->rootless_threads),
		    text_plural(losses->rootless_threads));
}

static void add_modules(struct clauses *clauses, const struct catalog *catalog)
{
	char *modules = text_unhooked_modules(catalog);

	if (modules)
		add(clauses, "%s", modules);
	free(modules);
}

static void add_code(struct clauses *clauses, const struct session *session)
{
	const struct coverage *coverage = &session->summary.coverage;

	if (coverage->refused > 0)
		add(clauses, "%s of %s functions", GROUPED(coverage->refused),
		    GROUPED(coverage_eligible(coverage)));
	if (coverage->bare_bytes > 0)
		add(clauses, "%s byte%s of unknown code",
		    GROUPED(coverage->bare_bytes),
		    text_plural(coverage->bare_bytes));
}

static void add_probes(struct clauses *clauses, const struct probe_list *probes)
{
	for (size_t i = 0; i < probes->count; i++)
		if (!listed_probe_places(&probes->items[i]))
			add(clauses, "probe %s (%s)", probes->items[i].name,
			    listed_probe_reason(&probes->items[i]));
}

/*
 * Writes the clauses that fit into `width`, and always the first one. Clauses
 * before index `problems` report damage; the others name missing data.
 */
static void write_clauses(FILE *out, const struct clauses *clauses,
			  size_t problems, unsigned int width)
{
	enum { ROOM_FOR_REST = 10 }; /* "; 12 more" */
	size_t column = 0, i = 0;

	for (; i < clauses->count; i++) {
		const char *lead = i == 0 && problems   ? "problem: "
				   : i == problems && i ? "; missing: "
				   : i == 0             ? "missing: "
							: "; ";
		const size_t columns = strlen(lead) + strlen(clauses->items[i]);

		if (i > 0 && width > 0 &&
		    column + columns + ROOM_FOR_REST > width)
			break;
		fprintf(out, "%s%s", lead, clauses->items[i]);
		column += columns;
	}
	if (i < clauses->count)
		fprintf(out, "; %zu more", clauses->count - i);
	if (clauses->count > 0)
		fputc('\n', out);
}

static void write_missing(FILE *out, const struct session *session)
{
	struct clauses clauses = { 0 };
	size_t problems;

	add_problems(&clauses, &session->recording);
	problems = clauses.count;
	add_calls(&clauses, &session->summary);
	add_modules(&clauses, &session->catalog);
	add_samples(&clauses, &session->summary);
	add_probes(&clauses, &session->probes);
	add_expected(&clauses, &session->recording.losses);
	add_code(&clauses, session);
	write_clauses(out, &clauses, problems, session->width);
	for (size_t i = 0; i < clauses.count; i++)
		free(clauses.items[i]);
	free(clauses.items);
}

/* ---- Checks ---- */

static void write_checked(FILE *out, const struct session *session)
{
	const struct summary *summary = &session->summary;
	const struct verdicts *calls = &summary->calls_verified;
	const struct verdicts *contexts = &summary->contexts_verified;
	const struct verdicts *stacks = &summary->stacks_verified;
	const uint64_t decided =
		verdicts_decided(calls) + verdicts_decided(contexts);

	fprintf(out, "%s call%s checked against the stack, %s wrong",
		GROUPED(decided), text_plural(decided),
		GROUPED(verdicts_wrong(calls) + verdicts_wrong(contexts)));
	if (verdicts_decided(stacks) > 0)
		fprintf(out, "; %s Java stack%s, %s wrong",
			GROUPED(verdicts_decided(stacks)),
			text_plural(verdicts_decided(stacks)),
			GROUPED(verdicts_wrong(stacks)));
	fputs(session->shows_details ? "\n" : " (more: --details)\n", out);
}

/* ---- */

static void write_advice(FILE *out, struct session *session)
{
	struct advice advice;

	advice_init(&advice, session);
	for (size_t i = 0; i < advice.count; i++)
		fprintf(out, "hint: %s\n", advice.sentences[i]);
	advice_fini(&advice);
}

void text_summary(FILE *out, struct session *session)
{
	struct text_wrap wrap;
	FILE *lines;

	if (session->is_quiet)
		return;
	lines = text_wrap_begin(&wrap);
	fputc('\n', lines);
	write_total(lines, session);
	write_missing(lines, session);
	if (!session->summary.is_imported)
		write_checked(lines, session);
	if (session->shows_details) {
		fputc('\n', lines);
		text_details(lines, session);
	}
	write_advice(lines, session);
	text_wrap_end(&wrap, lines, out, session->width);
}
