/* SPDX-License-Identifier: MIT */
/* The table of snapshots and of the calls that caused them. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/write/text_writer.h"

/* Returns what is shown of a snapshot's function. */
static const char *function_of(const struct snapshot_list *list,
			       const struct listed_snapshot *one,
			       struct session *session)
{
	if (one->function != FUNCTION_NONE)
		return shown_name(&session->names, &session->catalog,
				  one->function);
	return one->is_of_call && list->place ? list->place : "-";
}

static void write_row(FILE *out, struct session *session,
		      const struct snapshot_list *list,
		      const struct listed_snapshot *one, uint64_t start)
{
	const uint64_t since = one->time_ns > start ? one->time_ns - start : 0;

	fprintf(out, "%9s ",
		one->call_ns ? text_duration(one->call_ns).text : "-");
	if (one->tid)
		fprintf(out, "%5" PRIu64 ".%09" PRIu64 " %8" PRIu32,
			since / 1000000000, since % 1000000000, one->tid);
	else
		fprintf(out, "%15s %8s", "-", "-");
	fprintf(out, "  %-20s  ", one->folder);
	fprintf(out, "%s\n", function_of(list, one, session));
}

/* Chooses the names of the rows. */
static void add_names(struct session *session, const struct snapshot_list *list)
{
	uint32_t *functions =
		memory_zeroed(list->count + 1, sizeof(*functions));
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].function != FUNCTION_NONE)
			functions[count++] = list->items[i].function;
	shown_names_add(&session->names, &session->catalog, functions, count);
	free(functions);
}

void text_snapshots(FILE *out, struct session *session,
		    const struct snapshots_view *view)
{
	const struct snapshot_list *list = view->list;
	const uint64_t start = recording_start_ns(&session->recording);
	char *command = snapshot_list_command(list, session, view->path);

	add_names(session, list);
	text_begin(out, session->has_color, STYLE_HEADING);
	fprintf(out, "%9s %15s %8s  %-20s  function\n", "call", "seconds",
		"thread", "snapshot");
	text_end(out, session->has_color, STYLE_HEADING);
	for (size_t i = 0; i < list->count; i++)
		write_row(out, session, list, &list->items[i], start);
	if (!session->is_quiet) {
		fprintf(out, "\ntotal: %s snapshot%s",
			text_grouped(list->count).text,
			text_plural(list->count));
		if (list->removed)
			fprintf(out, "; %s more of faster calls removed",
				text_grouped(list->removed).text);
		fprintf(out, "\nnext: %s\n", command);
	}
	free(command);
}
