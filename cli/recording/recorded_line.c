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
#include "report/view/snapshot_list.h"
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

static void free_entries(struct dirent **entries, int count)
{
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
}

static void print_snapshots(struct session *session, const char *path,
			    const char *named)
{
	struct snapshot_list list;

	snapshot_list_init(&list, session, path);
	for (size_t i = 0; i < list.count; i++) {
		char *call = snapshot_call_text(&list, &list.items[i], session);

		complain("clew", "snapshot -> %s/%s%s%s%s", named,
			 list.items[i].folder, *call ? " (" : "", call,
			 *call ? ")" : "");
		free(call);
	}
	snapshot_list_fini(&list);
}

/*
 * Returns 1 if a function was hooked or no function was refused. Otherwise
 * prints a line and returns 0.
 */
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
 * Prints how many snapshots exist, and which call the first one shows: the only
 * one, or the slowest if its duration is recorded. Returns the command that
 * shows this snapshot, which the caller frees.
 */
static char *suggest_snapshot(struct session *session,
			      const struct snapshot_list *list,
			      const char *named)
{
	const struct listed_snapshot *first = &list->items[0];
	const char *before = list->count == 1 ? ": " : ", the slowest of ";
	char *call = list->count == 1 || first->call_ns
			     ? snapshot_call_text(list, first, session)
			     : memory_string("", 0);

	complain("clew", "%s snapshot%s%s%s; clew report --snapshots%s%s",
		 text_grouped(list->count).text, text_plural(list->count),
		 *call ? before : "", call,
		 strcmp(named, DEFAULT_RECORDING) == 0 ? "" : " ",
		 strcmp(named, DEFAULT_RECORDING) == 0 ? "" : named);
	free(call);
	return snapshot_list_command(list, session, named);
}

/*
 * Returns "clew trace --slowest handle DIR/1.0.snapshot1", "clew trace DIR" or
 * "clew report", for example. The caller frees it.
 */
static char *next_command(struct session *session, const char *path,
			  const char *named)
{
	struct dirent **traces = NULL;
	const int traced = scandir(path, &traces, is_trace, versionsort);
	const int is_default = strcmp(named, DEFAULT_RECORDING) == 0;
	struct snapshot_list list;
	char *command;

	snapshot_list_init(&list, session, path);
	if (list.count > 0)
		command = suggest_snapshot(session, &list, named);
	else
		command = memory_printf(
			"clew %s%s%s", traced > 0 ? "trace" : "report",
			is_default ? "" : " ", is_default ? "" : named);
	snapshot_list_fini(&list);
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
	command = next_command(&session, path, named);
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
	print_snapshots(&session, path, named);
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
