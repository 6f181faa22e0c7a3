/* SPDX-License-Identifier: MIT */
/* See recorded_line.h. */
#include "cli/recording/recorded_line.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "base/suffix.h"
#include "cli/common/command.h"
#include "report/view/coverage.h"
#include "report/view/session.h"
#include "report/write/text_writer.h"
#include "wire/recording.h"

/*
 * Returns ", 1,234 samples", or "" if no samples were requested. The caller
 * frees it.
 */
static char *samples_text(const struct session *session)
{
	uint64_t count;

	if (session->summary.time != WIRE_TIME_CPU &&
	    session->summary.time != WIRE_TIME_WALL)
		return memory_string("", 0);
	count = session->samples_taken;
	return memory_printf(", %s sample%s", text_grouped(count).text,
			     count == 1 ? "" : "s");
}

/* The name is PID.SEQ.snapshotN. */
static int is_snapshot(const struct dirent *entry)
{
	return strstr(entry->d_name, WIRE_SNAPSHOT_SUFFIX) != NULL;
}

static void free_entries(struct dirent **entries, int count)
{
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
}

static void print_snapshots(const char *path, const char *named)
{
	struct dirent **found = NULL;
	const int count = scandir(path, &found, is_snapshot, versionsort);

	for (int i = 0; i < count; i++)
		complain("clew", "snapshot -> %s/%s", named, found[i]->d_name);
	free_entries(found, count);
}

/* Returns 0 and prints a line if functions exist but none could be hooked. */
static int is_some_hooked(const struct session *session)
{
	struct coverage *modules = coverage_of_modules(&session->catalog);
	struct coverage total = { 0 };
	uint8_t order[VERDICT_COUNT];
	unsigned int i = 0;

	coverage_total(&session->catalog, modules, &total);
	free(modules);
	if (total.hooked || !total.refused)
		return 1;
	coverage_order(&total, order);
	while (coverage_class(order[i]) != COVERAGE_REFUSED)
		i++;
	complain("clew",
		 "none of %s functions could be hooked, so no calls were "
		 "counted; the reason of most: %s",
		 text_grouped(total.refused).text, verdict_text(order[i]));
	return 0;
}

static int is_trace(const struct dirent *entry)
{
	return suffix_stem(entry->d_name, WIRE_TRACE_SUFFIX) > 0;
}

/*
 * Returns "clew trace --latencies DIR/1.0.snapshot1", "clew trace DIR" or
 * "clew report", for example. The caller frees it.
 */
static char *next_command(const char *path, const char *named)
{
	struct dirent **snapshots = NULL, **traces = NULL;
	const int taken = scandir(path, &snapshots, is_snapshot, versionsort);
	const int traced = scandir(path, &traces, is_trace, versionsort);
	const int is_default = strcmp(named, DEFAULT_RECORDING) == 0;
	char *command;

	if (taken > 0)
		command = memory_printf("clew %s %s/%s",
					traced > 0 ? "trace --latencies"
						   : "report",
					named, snapshots[0]->d_name);
	else
		command = memory_printf(
			"clew %s%s%s", traced > 0 ? "trace" : "report",
			is_default ? "" : " ", is_default ? "" : named);
	free_entries(snapshots, taken);
	free_entries(traces, traced);
	return command;
}

/* Opens the recording without its times. Returns whether this succeeded. */
static int open_summary(struct session *session, const char *path)
{
	static const struct whose everybody = { .without_time = 1,
						.is_only_merged = 1 };
	char *why;

	if (session_open(session, path, &everybody, &why) == 0)
		return 1;
	free(why);
	return 0;
}

void recorded_line_suggest(const char *path, const char *named)
{
	struct session session;
	char *command;

	if (!open_summary(&session, path))
		return;
	command = next_command(path, named);
	complain("clew", "%s call%s in %s context%s -> %s; next: %s",
		 text_grouped(session.summary.calls).text,
		 text_plural(session.summary.calls),
		 text_grouped(session.summary.contexts).text,
		 text_plural(session.summary.contexts), named, command);
	free(command);
	is_some_hooked(&session);
	session_close(&session);
}

int recorded_line_warn(const char *path)
{
	struct session session;
	int is_hooked;

	if (!open_summary(&session, path))
		return 1;
	is_hooked = is_some_hooked(&session);
	session_close(&session);
	return is_hooked;
}

int recorded_line_print(const char *path, const char *named)
{
	struct session session;
	char *samples, *gaps;
	int is_hooked;

	if (!open_summary(&session, path))
		return 1;
	samples = samples_text(&session);
	complain("clew", "%s calls in %s contexts, %s process%s%s -> %s",
		 text_grouped(session.summary.calls).text,
		 text_grouped(session.summary.contexts).text,
		 text_grouped(session.summary.processes).text,
		 session.summary.processes == 1 ? "" : "es", samples, named);
	print_snapshots(path, named);
	free(samples);
	is_hooked = is_some_hooked(&session);
	gaps = text_unknown_code(&session.catalog);
	if (gaps)
		complain("clew", "%s", gaps);
	free(gaps);
	gaps = text_unhooked_modules(&session.catalog);
	if (gaps)
		complain("clew", "not hooked: %s", gaps);
	free(gaps);
	session_close(&session);
	return is_hooked;
}
