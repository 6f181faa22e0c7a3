/* SPDX-License-Identifier: MIT */
/* The table of `clew status`. */
#include "cli/cmd_status.h"

#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"

enum { GAP = 2, COMMAND_MIN = 30 };

/* Each function returns the text of a cell, which the caller frees. */

static char *number(uint64_t number)
{
	return memory_printf("%s", text_grouped(number).text);
}

static char *pid_cell(const struct status *status)
{
	return memory_printf("%d", status->process.pid);
}

static char *hooks_cell(const struct status *status)
{
	return number(status->totals.hooks);
}

static char *rate_cell(const struct status *status)
{
	return number(status->calls_per_s);
}

static char *calls_cell(const struct status *status)
{
	return number(status->totals.calls);
}

static char *contexts_cell(const struct status *status)
{
	return number(status->totals.contexts);
}

static char *mb_cell(const struct status *status)
{
	return memory_printf("%.1f", (double)status->bytes / 1e6);
}

static char *lost_cell(const struct status *status)
{
	return number(status->totals.lost);
}

static char *state_cell(const struct status *status)
{
	const struct live_process *process = &status->process;

	if (!process->is_attached)
		return memory_printf("recorded");
	if (!process->controller)
		return memory_printf("left attached");
	return memory_printf("attached by %d", process->controller);
}

static char *recording_cell(const struct status *status)
{
	const char *path = status->process.recording;

	return text_printable(memory_string(path, strlen(path)));
}

static char *command_cell(const struct status *status)
{
	return memory_printf("%s", status->process.command);
}

/*
 * The columns. If a terminal has too few columns, those with the lowest
 * `omitted` are omitted first, and those without one never.
 */
static const struct column {
	const char *title;
	char *(*cell)(const struct status *status);
	int is_text; /* aligned at the left */
	unsigned int omitted;
} columns[] = {
	{ "PID", pid_cell, 0, 0 },
	{ "HOOKS", hooks_cell, 0, 4 },
	{ "CALLS/S", rate_cell, 0, 0 },
	{ "CALLS", calls_cell, 0, 0 },
	{ "CONTEXTS", contexts_cell, 0, 3 },
	{ "MB", mb_cell, 0, 2 },
	{ "LOST", lost_cell, 0, 0 },
	{ "STATE", state_cell, 1, 0 },
	{ "RECORDING", recording_cell, 1, 1 },
	{ "COMMAND", command_cell, 1, 0 },
};

enum { COLUMNS = sizeof(columns) / sizeof(*columns), OMITTED_MAX = 4 };

static size_t width_of(const struct column *column, const struct status *items,
		       size_t count)
{
	size_t width = strlen(column->title);

	for (size_t i = 0; i < count; i++) {
		char *text = column->cell(&items[i]);

		if (!items[i].is_gone && text_columns(text) > width)
			width = text_columns(text);
		free(text);
	}
	return width;
}

/* Returns up to which `omitted` columns are omitted. */
static unsigned int omit(const size_t *widths, unsigned int room)
{
	unsigned int omitted = 0;
	size_t used;

	for (; room && omitted < OMITTED_MAX; omitted++) {
		used = COMMAND_MIN;
		for (size_t i = 0; i + 1 < COLUMNS; i++)
			if (!columns[i].omitted || columns[i].omitted > omitted)
				used += widths[i] + GAP;
		if (used <= room)
			break;
	}
	return omitted;
}

/* Prints a line: the titles, or the cells of this status. */
static void print_line(FILE *out, const struct status *status,
		       const size_t *widths, unsigned int omitted)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		const struct column *column = &columns[i];
		char *text;
		int pad;

		if (column->omitted && column->omitted <= omitted)
			continue;
		text = status ? column->cell(status)
			      : memory_printf("%s", column->title);
		pad = (int)(widths[i] - text_columns(text));
		if (!column->is_text)
			fprintf(out, "%*s", pad, "");
		fputs(text, out);
		if (i + 1 == COLUMNS)
			fputc('\n', out);
		else
			fprintf(out, "%*s", GAP + (column->is_text ? pad : 0),
				"");
		free(text);
	}
}

void status_print_table(FILE *out, const struct status *items, size_t count,
			unsigned int room)
{
	size_t widths[COLUMNS];
	unsigned int omitted;

	for (size_t i = 0; i < COLUMNS; i++)
		widths[i] = width_of(&columns[i], items, count);
	omitted = omit(widths, room);
	print_line(out, NULL, widths, omitted);
	for (size_t i = 0; i < count; i++)
		if (!items[i].is_gone)
			print_line(out, &items[i], widths, omitted);
}
