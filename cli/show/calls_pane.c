/* SPDX-License-Identifier: MIT */
/*
 * The pane with the calls of a trace: durations by function as in `clew trace
 * --latencies`, then the slowest calls of a function (--slowest), then what one
 * call did, or how the slowest call differs from the median one (--against).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "cli/show/pane.h"
#include "report/view/selection.h"
#include "report/write/text_writer.h"
#include "report/write/trace_calls.h"

enum {
	/* maximum number of listed calls, as in the page of clew html */
	SLOWEST_MAX = 1000,
	/* maximum number of calls that are shown inside of one */
	INNER_MAX = 20000,
};

enum calls_level { LEVEL_FUNCTIONS, LEVEL_CALLS, LEVEL_TEXT, LEVELS };

enum latency_key { BY_TOTAL, BY_MAX, BY_P99, BY_COUNT, LATENCY_KEYS };

static const char *const key_texts[LATENCY_KEYS] = {
	[BY_TOTAL] = "total",
	[BY_MAX] = "maximum",
	[BY_P99] = "99 %",
	[BY_COUNT] = "calls",
};

struct calls_pane {
	struct pane pane;
	int was_opened; /* whether the trace was searched for */
	char *why;      /* why there is no trace, or NULL */
	struct traces traces;
	struct trace_window window;
	struct trace_output output;
	struct function_latencies all;
	struct latency_columns columns;
	enum latency_key key;
	enum calls_level level;
	/* The lists of the levels above the present one, for going back. */
	struct screen_list lists[LEVELS];
	struct slow_calls slow; /* the slow calls of one function */
	uint32_t function;
	struct screen_page page; /* the text about one call or two */
};

/* ---- Opening the trace ---- */

static void open_trace(struct calls_pane *calls)
{
	const struct viewed *viewed = calls->pane.viewed;
	struct session *session = viewed->session;
	struct whose whose = viewed->options->whose;
	uint8_t *chosen;

	if (calls->was_opened)
		return;
	calls->was_opened = 1;
	whose.progress = NULL;
	viewed_announce("reading the trace...");
	if (traces_open(&calls->traces, &session->recording, &session->catalog,
			&whose, &calls->why) != 0)
		return;
	calls->window =
		window_of(&viewed->options->window, calls->traces.start_ns);
	calls->output = (struct trace_output){
		.traces = &calls->traces,
		.has_color = session->has_color,
		.names.are_full = viewed->options->shows_full_names,
		.names.ellipsis = text_glyph("\u2026", "..."),
	};
	chosen = selection_mask(&viewed->options->selection, &session->catalog);
	function_latencies_find(&calls->all, &calls->traces, &calls->window,
				chosen);
	free(chosen);
	calls->pane.list.count = calls->all.count;
}

/* Returns a mask of one function, which the caller frees. */
static uint8_t *mask_of(const struct calls_pane *calls)
{
	const struct catalog *catalog = calls->traces.catalog;
	uint8_t *mask = memory_zeroed(catalog->function_count, 1);

	mask[calls->function] = 1;
	return mask;
}

/* ---- Levels ---- */

static void enter(struct calls_pane *calls, enum calls_level level,
		  struct screen_list list)
{
	calls->lists[calls->level] = calls->pane.list;
	calls->level = level;
	calls->pane.list = list;
}

static void go_back(struct calls_pane *calls)
{
	calls->level--;
	calls->pane.list = calls->lists[calls->level];
}

static void show_calls(struct calls_pane *calls)
{
	uint8_t *mask;

	calls->function =
		calls->all.sorted[calls->pane.list.selected]->function;
	mask = mask_of(calls);
	viewed_announce("reading the trace...");
	free(calls->slow.items);
	slow_calls_find(&calls->slow, &calls->traces, &calls->window, mask,
			SLOWEST_MAX);
	free(mask);
	enter(calls, LEVEL_CALLS,
	      (struct screen_list){ .count = calls->slow.count });
}

static void show_text(struct calls_pane *calls, char *text)
{
	screen_page_set(&calls->page, text);
	enter(calls, LEVEL_TEXT, calls->page.list);
}

/*
 * Writes a line of a call. Behind INNER_MAX calls, writes one line that says
 * that calls are missing, and then nothing.
 */
static void write_line(void *context, const struct call_line *line)
{
	struct trace_output *output = context;

	if (output->calls > INNER_MAX)
		return;
	trace_output_count(output, line);
	if (output->calls > INNER_MAX)
		fputs("... (clew trace shows all calls)\n", output->out);
	else
		text_trace_line(output, line);
}

/* Shows the first INNER_MAX calls inside of the selected one. */
static void show_content(struct calls_pane *calls)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = memory_stream(&text, &bytes);

	viewed_announce("reading the trace...");
	calls->output.out = out;
	calls->output.calls = 0;
	function_call_lines(&calls->traces,
			    &calls->slow.items[calls->pane.list.selected], 0,
			    write_line, &calls->output);
	fclose(out);
	show_text(calls, text);
}

/*
 * Compares the slowest call with the median one. Shows a message if fewer than
 * two calls have returned.
 */
static void compare(struct calls_pane *calls)
{
	struct compared_calls compared;
	uint8_t *mask = mask_of(calls);
	char *text = NULL;
	size_t bytes;
	FILE *out;
	int err;

	viewed_announce("reading the trace...");
	err = compared_calls_find(&compared, &calls->traces, &calls->window,
				  mask, 0);
	free(mask);
	if (err) {
		viewed_say(calls->pane.viewed,
			   memory_printf("two calls that have returned are "
					 "needed to compare them"));
		return;
	}
	compared_calls_read(&compared, &calls->traces, 0);
	out = memory_stream(&text, &bytes);
	calls->output.out = out;
	text_compared_calls(&calls->output, &compared);
	fclose(out);
	compared_calls_fini(&compared);
	show_text(calls, text);
}

/* ---- Sorting functions ---- */

static uint64_t value_of(const struct call_latencies *one, enum latency_key key)
{
	switch (key) {
	case BY_MAX:
		return one->most.max_ns;
	case BY_P99:
		return latencies_quantile(&one->most, .99);
	case BY_COUNT:
		return one->most.count;
	default:
		return (uint64_t)one->most.sum_ns;
	}
}

static int by_key(const void *left, const void *right, void *context)
{
	const struct call_latencies *a = *(struct call_latencies *const *)left;
	const struct call_latencies *b = *(struct call_latencies *const *)right;
	const enum latency_key key = *(const enum latency_key *)context;
	const uint64_t one = value_of(a, key), other = value_of(b, key);

	if (one != other)
		return one > other ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

static void sort_by_next(struct calls_pane *calls, unsigned int step)
{
	calls->key = (calls->key + step) % LATENCY_KEYS;
	if (calls->all.count > 0)
		qsort_r(calls->all.sorted, calls->all.count,
			sizeof(struct call_latencies *), by_key, &calls->key);
	screen_list_select(&calls->pane.list, 0);
}

/* ---- The pane ---- */

static void update(struct pane *pane)
{
	open_trace((struct calls_pane *)pane);
}

static void layout(struct pane *pane)
{
	struct calls_pane *calls = (struct calls_pane *)pane;

	if (calls->why)
		return;
	calls->output.width = screen_columns();
	calls->columns = text_latency_columns(&calls->output, &calls->all,
					      calls->all.count);
}

static char *state(struct pane *pane)
{
	const struct calls_pane *calls = (const struct calls_pane *)pane;
	const char *missing;

	if (calls->why)
		return memory_printf("%s: %s", pane->viewed->options->path,
				     calls->why);
	missing = traces_overwritten(&calls->traces)
			  ? "; older calls lost: larger ring, --min-duration"
			  : "";
	switch (calls->level) {
	case LEVEL_FUNCTIONS:
		return memory_printf("%s function%s, sorted by %s%s",
				     text_grouped(calls->all.count).text,
				     text_plural(calls->all.count),
				     key_texts[calls->key], missing);
	case LEVEL_CALLS:
		return memory_printf("the slowest %s of %s call%s%s",
				     text_grouped(calls->slow.count).text,
				     text_grouped(calls->slow.all).text,
				     text_plural(calls->slow.all), missing);
	default:
		return memory_printf("Backspace: the slowest calls");
	}
}

static void heading(FILE *out, struct pane *pane)
{
	struct calls_pane *calls = (struct calls_pane *)pane;

	calls->output.out = out;
	if (calls->why)
		return;
	if (calls->level == LEVEL_FUNCTIONS)
		text_latency_heading(&calls->output, &calls->columns);
	else if (calls->level == LEVEL_CALLS)
		text_slow_heading(&calls->output);
}

static void write_row(FILE *out, void *context, size_t row)
{
	struct calls_pane *calls = context;

	calls->output.out = out;
	if (calls->level == LEVEL_FUNCTIONS)
		text_latency_row(&calls->output, &calls->columns,
				 calls->all.sorted[row]);
	else if (calls->level == LEVEL_CALLS)
		text_slow_call(&calls->output, &calls->slow.items[row],
			       row + 1);
	else
		fputs(calls->page.lines[row], out);
}

static uint32_t function_of(struct pane *pane, size_t row)
{
	const struct calls_pane *calls = (const struct calls_pane *)pane;

	return calls->level == LEVEL_FUNCTIONS
		       ? calls->all.sorted[row]->function
		       : calls->function;
}

static int is_text(const struct pane *pane)
{
	return ((const struct calls_pane *)pane)->level == LEVEL_TEXT;
}

static int find(struct pane *pane, int is_backward)
{
	struct calls_pane *calls = (struct calls_pane *)pane;

	if (!is_text(pane))
		return pane_find_function(pane, is_backward);
	return screen_page_find(&calls->page, &pane->list,
				pane->viewed->searched, is_backward);
}

static int obey_level(struct calls_pane *calls, int key)
{
	switch (key) {
	case SCREEN_ENTER:
		if (calls->level == LEVEL_FUNCTIONS)
			show_calls(calls);
		else if (calls->level == LEVEL_CALLS)
			show_content(calls);
		return 1;
	case 'c':
		if (calls->level == LEVEL_FUNCTIONS)
			show_calls(calls);
		if (calls->level == LEVEL_CALLS)
			compare(calls);
		return 1;
	case 's':
	case 'S':
		if (calls->level == LEVEL_FUNCTIONS)
			sort_by_next(calls, key == 's' ? 1 : LATENCY_KEYS - 1);
		return 1;
	case SCREEN_LEFT:
	case SCREEN_RIGHT:
		screen_list_shift(&calls->pane.list, key);
		return 1;
	default:
		return 0;
	}
}

static int obey(struct pane *pane, int key)
{
	struct calls_pane *calls = (struct calls_pane *)pane;

	if (calls->why)
		return 0;
	if (key == SCREEN_BACKSPACE && calls->level > LEVEL_FUNCTIONS) {
		go_back(calls);
		return 1;
	}
	return pane->list.count > 0 && obey_level(calls, key);
}

static void fini(struct pane *pane)
{
	struct calls_pane *calls = (struct calls_pane *)pane;

	screen_page_clear(&calls->page);
	if (calls->was_opened && !calls->why) {
		free(calls->slow.items);
		function_latencies_fini(&calls->all);
		trace_output_fini(&calls->output);
		traces_close(&calls->traces);
	}
	free(calls->why);
}

static const struct pane_kind calls_kind = {
	.name = "calls",
	.keys = "Enter choose  Backspace back  s sort  c compare  b butterfly",
	.update = update,
	.layout = layout,
	.state = state,
	.heading = heading,
	.row = write_row,
	.function = function_of,
	.key = obey,
	.find = find,
	.is_text = is_text,
	.fini = fini,
};

struct pane *calls_pane_create(struct viewed *viewed)
{
	struct calls_pane *calls = memory_zeroed(1, sizeof(*calls));

	calls->pane = (struct pane){ .kind = &calls_kind,
				     .viewed = viewed,
				     .is_stale = 1 };
	return &calls->pane;
}
