/* SPDX-License-Identifier: MIT */
/*
 * `clew status --metrics`: the text format of Prometheus.
 *
 * A family is a name with a help text, a type and samples. The samples of a
 * family must follow each other, so there is one pass over all processes for
 * each family. A number that a process does not have is left out.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "cli/cmd_status.h"
#include "cli/push/push_counts.h"

/* ---- The format ---- */

static void print_family(FILE *out, const char *name, const char *type,
			 const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Prints a label's value in quotes. */
static void print_quoted(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		if (*text == '\n') {
			fputs("\\n", out);
			continue;
		}
		if (*text == '"' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
	putc('"', out);
}

/* ---- Processes ---- */

/* Prints {pid="1",program="a"}. */
static void print_labels(FILE *out, const struct status *status)
{
	const char *command = status->process.command;
	char *first = memory_string(command, strcspn(command, " "));

	fprintf(out, "{pid=\"%d\",program=", status->process.pid);
	print_quoted(out, text_basename(first));
	putc('}', out);
	free(first);
}

static int is_sampled(const struct status *status)
{
	return status->header.time == WIRE_TIME_CPU ||
	       status->header.time == WIRE_TIME_WALL;
}

static int has_budget(const struct status *status)
{
	return status->header.budget > 0;
}

static int has_limit(const struct status *status)
{
	return status->header.max_bytes > 0;
}

static uint64_t calls(const struct status *status)
{
	return status->totals.calls;
}

static uint64_t calls_per_s(const struct status *status)
{
	return status->calls_per_s;
}

static uint64_t lost_calls(const struct status *status)
{
	return status->totals.lost;
}

static uint64_t folded_calls(const struct status *status)
{
	return status->totals.folded;
}

static uint64_t lost_samples(const struct status *status)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < WIRE_SAMPLE_LOSS_COUNT; i++)
		sum += status->header.sample_losses[i];
	return sum;
}

static uint64_t contexts(const struct status *status)
{
	return status->totals.contexts;
}

static uint64_t hooks(const struct status *status)
{
	return status->totals.hooks;
}

static uint64_t overwritten_hooks(const struct status *status)
{
	return status->header.overwritten_hooks;
}

static uint64_t bytes(const struct status *status)
{
	return status->bytes;
}

static uint64_t max_bytes(const struct status *status)
{
	return status->header.max_bytes;
}

static uint64_t start_ns(const struct status *status)
{
	return status->header.start_ns;
}

static uint64_t start_cpu_ns(const struct status *status)
{
	return status->header.start_cpu_ns;
}

static uint64_t own_ns(const struct status *status)
{
	return status->header.own_sampled_ns;
}

static uint64_t budget_ns(const struct status *status)
{
	return status->header.budget_cpu_ns;
}

static uint64_t budget_cost_ns(const struct status *status)
{
	return status->header.budget_cost_ns;
}

enum metric_kind { METRIC_COUNTER, METRIC_GAUGE };

static const struct {
	const char *name, *help;
	enum metric_kind kind;
	/* whether the value is in nanoseconds and printed in seconds */
	int is_ns;
	uint64_t (*value)(const struct status *status);
	/*
	 * returns whether a process has the metric; NULL if each process has it
	 */
	int (*has)(const struct status *status);
} families[] = {
	{ "clew_calls_total", "Calls that were counted.", METRIC_COUNTER, 0,
	  calls, NULL },
	{ "clew_calls_per_second", "Calls per second in the last 0.2 seconds.",
	  METRIC_GAUGE, 0, calls_per_s, NULL },
	{ "clew_lost_calls_total", "Calls that were not counted.",
	  METRIC_COUNTER, 0, lost_calls, NULL },
	{ "clew_folded_calls_total",
	  "Calls that were counted without a context of their own.",
	  METRIC_COUNTER, 0, folded_calls, NULL },
	{ "clew_lost_samples_total", "Samples that were not recorded.",
	  METRIC_COUNTER, 0, lost_samples, is_sampled },
	{ "clew_contexts", "Calling contexts.", METRIC_GAUGE, 0, contexts,
	  NULL },
	{ "clew_hooked_functions", "Functions that are hooked now.",
	  METRIC_GAUGE, 0, hooks, NULL },
	{ "clew_overwritten_hooks",
	  "Hooks that the program had overwritten at the latest check.",
	  METRIC_GAUGE, 0, overwritten_hooks, NULL },
	{ "clew_recording_bytes",
	  "Size of the recording, which the process has mapped.", METRIC_GAUGE,
	  0, bytes, NULL },
	{ "clew_recording_limit_bytes", "Limit of tables and samples.",
	  METRIC_GAUGE, 0, max_bytes, has_limit },
	{ "clew_recording_start_time_seconds",
	  "Time when the recording began, since 1970.", METRIC_GAUGE, 1,
	  start_ns, NULL },
	{ "clew_start_cpu_seconds",
	  "CPU time that clew used before the program began.", METRIC_GAUGE, 1,
	  start_cpu_ns, NULL },
	{ "clew_own_time_seconds_total",
	  "Time in the code of clew, estimated by samples.", METRIC_COUNTER, 1,
	  own_ns, is_sampled },
	{ "clew_budget_cpu_seconds_total",
	  "CPU time of the program, as seen by --budget.", METRIC_COUNTER, 1,
	  budget_ns, has_budget },
	{ "clew_budget_cost_seconds_total",
	  "Part of that CPU time that clew has used, as estimated by --budget.",
	  METRIC_COUNTER, 1, budget_cost_ns, has_budget },
};

static void print_number(FILE *out, uint64_t number, int is_ns)
{
	if (is_ns)
		fprintf(out, " %" PRIu64 ".%09" PRIu64 "\n",
			number / 1000000000, number % 1000000000);
	else
		fprintf(out, " %" PRIu64 "\n", number);
}

static int has_family(const struct status *status, size_t family)
{
	return !status->is_gone &&
	       (!families[family].has || families[family].has(status));
}

static void print_process_family(FILE *out, size_t family,
				 const struct status *items, size_t count)
{
	int is_begun = 0;

	for (size_t i = 0; i < count; i++) {
		if (!has_family(&items[i], family))
			continue;
		if (!is_begun++)
			print_family(out, families[family].name,
				     families[family].kind == METRIC_COUNTER
					     ? "counter"
					     : "gauge",
				     families[family].help);
		fputs(families[family].name, out);
		print_labels(out, &items[i]);
		print_number(out, families[family].value(&items[i]),
			     families[family].is_ns);
	}
}

/* ---- Pushes, and all metrics ---- */

/* The counts of a `clew attach`. */
struct pushing {
	pid_t controller;
	struct push_counts counts;
};

static int is_known(const struct pushing *pushing, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (pushing[i].controller == pid)
			return 1;
	return 0;
}

/* Returns the controllers with pushes or snapshots. The caller frees them. */
static struct pushing *find_pushing(const struct status *items, size_t count,
				    size_t *found)
{
	struct pushing *pushing = memory_zeroed(count + 1, sizeof(*pushing));

	*found = 0;
	for (size_t i = 0; i < count; i++) {
		const pid_t pid = items[i].process.controller;
		struct pushing *next = &pushing[*found];

		if (!pid || is_known(pushing, *found, pid) ||
		    push_counts_read(pid, &next->counts) != 0)
			continue;
		next->controller = pid;
		++*found;
	}
	return pushing;
}

static void print_results(FILE *out, const char *name, pid_t controller,
			  uint64_t done, uint64_t failed)
{
	fprintf(out,
		"%s{controller=\"%d\",result=\"done\"} %" PRIu64 "\n"
		"%s{controller=\"%d\",result=\"failed\"} %" PRIu64 "\n",
		name, controller, done, name, controller, failed);
}

static void print_pushes(FILE *out, const struct status *items, size_t count)
{
	size_t found;
	struct pushing *pushing = find_pushing(items, count, &found);

	if (found)
		print_family(out, "clew_pushes_total", "counter",
			     "Intervals that were sent to a store.");
	for (size_t i = 0; i < found; i++)
		print_results(out, "clew_pushes_total", pushing[i].controller,
			      pushing[i].counts.pushed, pushing[i].counts.lost);
	if (found)
		print_family(out, "clew_snapshots_total", "counter",
			     "Snapshots that were saved.");
	for (size_t i = 0; i < found; i++)
		print_results(out, "clew_snapshots_total",
			      pushing[i].controller,
			      pushing[i].counts.snapshots,
			      pushing[i].counts.failed_snapshots);
	if (found)
		print_family(out, "clew_last_push_timestamp_seconds", "gauge",
			     "Time of the last push that succeeded, since "
			     "1970; 0: none.");
	for (size_t i = 0; i < found; i++)
		fprintf(out,
			"clew_last_push_timestamp_seconds{controller=\"%d\"} "
			"%" PRIu64 "\n",
			pushing[i].controller, pushing[i].counts.pushed_at_s);
	free(pushing);
}

void status_print_metrics(FILE *out, const struct status *items, size_t count)
{
	size_t recorded = 0, attached = 0;

	for (size_t i = 0; i < count; i++) {
		recorded += !items[i].is_gone;
		attached += !items[i].is_gone && items[i].process.is_attached;
	}
	print_family(out, "clew_recorded_processes", "gauge",
		     "Processes that are being recorded.");
	fprintf(out, "clew_recorded_processes %zu\n", recorded);
	print_family(out, "clew_attached_processes", "gauge",
		     "Those of them to which clew has attached.");
	fprintf(out, "clew_attached_processes %zu\n", attached);
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		print_process_family(out, i, items, count);
	print_pushes(out, items, count);
}
