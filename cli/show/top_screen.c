/* SPDX-License-Identifier: MIT */
/* See top_screen.h. */
#include "cli/show/top_screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/now.h"
#include "cli/show/screen.h"
#include "cli/show/top_table.h"
#include "cli/target/snapshot.h"
#include "report/view/finder.h"
#include "report/view/session.h"
#include "report/write/text_writer.h"

struct top_screen {
	struct top_view *view;
	struct top_target *target;
	struct live_counts *counts;
	struct live_rows rows;
	struct screen_list list;
	/*
	 * a page that replaces the table; without text while the table is shown
	 */
	struct screen_page page;
	char message[160]; /* Shown until the next key. */
	struct screen_input filter;
	int is_paused, has_ended, is_over;
};

static const char help_text[] =
	"clew top: what processes call now\n"
	"\n"
	"up, down, Page Up, Page Down   choose a row\n"
	"Enter                          callers and callees of the row so far\n"
	"f  c  m  t                     functions, contexts, modules, threads\n"
	"s                              sort by self time, total time, calls, "
	"all calls\n"
	"/                              only rows that have a text in them; "
	"Esc: all\n"
	"p, space                       pause, and go on\n"
	"w                              write a snapshot, as clew snapshot "
	"does\n"
	"+  -                           look less often, or more often\n"
	"q                              quit; on a page: back\n"
	"\n"
	"CALLS/S is of the last interval, as are SELF% and TOTAL%, of one "
	"processor,\n"
	"by samples. CALLS are all since the recording began. Where a look "
	"takes long,\n"
	"the interval grows, so that no more than 0.5 % of a processor goes "
	"into it.\n";

/* ---- Drawing ---- */

static char *state_text(const struct top_screen *screen)
{
	const struct top_view *view = screen->view;

	if (*screen->message)
		return memory_printf("%s", screen->message);
	if (screen->filter.is_typing || *screen->filter.text)
		return memory_printf("filter: %s%s", screen->filter.text,
				     screen->filter.is_typing ? "_" : "");
	return memory_printf("sorted by %s, every %.1f s%s",
			     live_key_text(view->key),
			     top_delay_s(view, screen->counts),
			     screen->has_ended   ? ", all processes have ended"
			     : screen->is_paused ? ", paused"
						 : "");
}

/* Returns the number of processes, which may have several parts each. */
static size_t process_count(const struct live_counts *counts)
{
	size_t count = 0;

	for (size_t i = 0; i < counts->part_count; i++) {
		size_t j = 0;

		while (j < i && counts->parts[j]->pid != counts->parts[i]->pid)
			j++;
		count += j == i;
	}
	return count;
}

static void draw_frame(const struct top_screen *screen)
{
	const size_t parts = screen->counts->part_count;

	screen_take_line(0,
			 parts > 1
				 ? memory_printf("clew top: %zu processes  "
						 "%s",
						 process_count(screen->counts),
						 screen->target->command)
				 : memory_printf("clew top: process %d  %s",
						 screen->target->pid,
						 screen->target->command),
			 LOOK_BOLD);
	screen_take_line(1, top_total_text(screen->counts), LOOK_PLAIN);
	screen_take_line(2, state_text(screen), LOOK_PLAIN);
	screen_keys(screen->page.text
			    ? "h help  q back  arrows scroll"
			    : "h help  q quit  Enter callers and callees  "
			      "f/c/m/t rows  s sort  / filter  p pause  "
			      "w write");
}

/* Lets names use all columns from TOP_NAME_AT on, at least TOP_NAME_MIN. */
static void limit_names(struct shown_names *names)
{
	const unsigned int columns = screen_columns();
	const unsigned int room = columns > TOP_NAME_AT + TOP_NAME_MIN
					  ? columns - TOP_NAME_AT
					  : TOP_NAME_MIN;

	if (names->room == room)
		return;
	shown_names_fini(names);
	names->room = room;
	names->ellipsis = text_glyph("\u2026", "...");
}

static void write_row(FILE *out, void *context, size_t row)
{
	struct top_screen *screen = context;
	char *text = top_row_text(&screen->rows, screen->counts,
				  &screen->rows.items[row]);

	fputs(text, out);
	free(text);
}

static void draw(struct top_screen *screen)
{
	screen_begin();
	draw_frame(screen);
	if (screen->page.text) {
		screen_page_draw(&screen->page, "");
	} else {
		char *heading = top_heading_text(&screen->rows);

		limit_names(&screen->counts->names);
		screen_list_draw(&screen->list, heading, write_row, screen);
		free(heading);
	}
	screen_finish();
}

/* ---- Pages, messages and snapshots ---- */

static void say(struct top_screen *screen, char *text)
{
	snprintf(screen->message, sizeof(screen->message), "%s", text);
	free(text);
}

/*
 * Returns a text with the callers and callees of the function with this name,
 * which the caller frees. Returns NULL if no function of the session has this
 * name, or several have it.
 */
static char *butterfly_text(struct session *session, const char *name)
{
	struct butterfly butterfly;
	char *text = NULL;
	uint8_t *chosen;
	size_t bytes;
	FILE *out;

	finder_mask(&session->catalog, NULL, name, &chosen);
	out = chosen ? open_memstream(&text, &bytes) : NULL;
	if (out) {
		butterfly_init(&butterfly, &session->tree, &session->catalog,
			       chosen, session->metric);
		text_butterfly(out, session,
			       &(struct butterfly_view){
				       .butterfly = &butterfly, .name = name });
		butterfly_fini(&butterfly);
		fclose(out);
	}
	free(chosen);
	return text;
}

/*
 * Opens a page about the function of the selected row, with its counts so far.
 * Shows a message if the row is no function or the recording cannot be read.
 */
static void open_function(struct top_screen *screen)
{
	static const struct whose everybody = { 0 };
	const struct live_row *row = &screen->rows.items[screen->list.selected];
	struct session session;
	uint32_t function;
	char *text, *why;

	if (!screen->rows.count)
		return;
	function = live_row_function(&screen->rows, screen->counts, row);
	if (function == FUNCTION_NONE) {
		say(screen, memory_printf("this row is not a function"));
		return;
	}
	if (top_target_has_several_recordings(screen->target)) {
		say(screen, memory_printf("the processes are in several "
					  "recordings; choose one process"));
		return;
	}
	if (session_open(&session,
			 screen->counts->part_count > 1
				 ? screen->target->recording
				 : screen->target->part,
			 &everybody, &why) != 0) {
		say(screen, why);
		return;
	}
	session.is_quiet = 1;
	session.columns = screen_columns();
	text = butterfly_text(&session,
			      catalog_name(&screen->counts->catalog, function));
	if (text)
		screen_page_set(&screen->page, text);
	session_close(&session);
}

static void write_snapshot(struct top_screen *screen)
{
	char *directory = NULL, *why;

	if (screen->counts->part_count > 1) {
		say(screen, memory_printf("a snapshot has one process; use "
					  "clew snapshot PID"));
		return;
	}
	if (snapshot_make(screen->target->recording, screen->target->part,
			  screen->view->output, &directory, &why) != 0)
		say(screen, why);
	else
		say(screen, memory_printf("snapshot written to %s", directory));
	free(directory);
}

/* ---- Keys ---- */

static void choose_rows(struct top_screen *screen)
{
	live_rows_fini(&screen->rows);
	live_rows_init(&screen->rows, screen->counts, screen->view->subject,
		       screen->view->key, screen->filter.text);
	screen->list.count = screen->rows.count;
}

static void choose_subject(struct top_screen *screen, enum live_subject subject)
{
	screen->view->subject = subject;
	screen->list.selected = screen->list.first = 0;
	choose_rows(screen);
}

static int choose_by_key(struct top_screen *screen, int key)
{
	static const char keys[LIVE_SUBJECT_COUNT] = {
		[LIVE_FUNCTIONS] = 'f',
		[LIVE_CONTEXTS] = 'c',
		[LIVE_MODULES] = 'm',
		[LIVE_THREADS] = 't',
	};

	for (int i = 0; i < LIVE_SUBJECT_COUNT; i++)
		if (key == keys[i]) {
			choose_subject(screen, (enum live_subject)i);
			return 1;
		}
	if (key != 's')
		return 0;
	screen->view->key = (screen->view->key + 1) % LIVE_KEY_COUNT;
	choose_rows(screen);
	return 1;
}

static void obey_table(struct top_screen *screen, int key)
{
	double *delay_s = &screen->view->delay_s;

	switch (key) {
	case 'q':
		screen->is_over = 1;
		break;
	case SCREEN_ENTER:
		open_function(screen);
		break;
	case '/':
		screen->filter.is_typing = 1;
		break;
	case SCREEN_ESCAPE:
		screen->filter.text[0] = '\0';
		choose_rows(screen);
		break;
	case 'p':
	case ' ':
		screen->is_paused = !screen->is_paused;
		break;
	case 'w':
		write_snapshot(screen);
		break;
	case '+':
		*delay_s = *delay_s < 1800 ? *delay_s * 2 : *delay_s;
		break;
	case '-':
		*delay_s = *delay_s > .1 ? *delay_s / 2 : *delay_s;
		break;
	default:
		choose_by_key(screen, key);
	}
}

static void obey_page(struct top_screen *screen, int key)
{
	if (screen_list_move(&screen->page.list, key))
		return;
	if (key == 'q' || key == SCREEN_ESCAPE || key == SCREEN_ENTER)
		screen_page_clear(&screen->page);
}

static void obey(struct top_screen *screen, int key)
{
	*screen->message = '\0';
	if (screen->filter.is_typing) {
		screen_input_key(&screen->filter, key);
		choose_rows(screen);
	} else if (key == 'h' || key == '?') {
		screen_page_set(&screen->page,
				memory_string(help_text, strlen(help_text)));
	} else if (screen->page.text) {
		obey_page(screen, key);
	} else if (!screen_list_move(&screen->list, key)) {
		obey_table(screen, key);
	}
}

/* ---- The loop ---- */

static double now_s(void)
{
	return (double)now_ns(CLOCK_MONOTONIC) / 1e9;
}

static int look(struct top_screen *screen, char **why)
{
	const int is_alive = top_target_is_alive(screen->target);
	int err;

	top_target_add_parts(screen->target, screen->counts);
	err = live_counts_look(screen->counts, why);

	if (err)
		return err;
	screen->has_ended = !is_alive;
	choose_rows(screen);
	return 0;
}

/* Returns how many milliseconds to wait for a key: about a second at most. */
static int wait_ms(double left_s)
{
	return left_s > 0 && left_s < 1 ? (int)(left_s * 1000) + 1 : 1000;
}

static int loop(struct top_screen *screen, int signals, char **why)
{
	double next_s = 0;

	while (!screen->is_over) {
		double left_s = next_s - now_s();
		int key;

		if (left_s <= 0 && !screen->is_paused && !screen->has_ended) {
			int err = look(screen, why);

			if (err)
				return err;
			/* The first reading has nothing to compare with. */
			left_s = screen->counts->interval_ns
					 ? top_delay_s(screen->view,
						       screen->counts)
					 : .1;
			next_s = now_s() + left_s;
		}
		draw(screen);
		key = screen_key(signals, wait_ms(left_s));
		if (key == SCREEN_END)
			break;
		if (key != SCREEN_NO_KEY && key != SCREEN_RESIZE)
			obey(screen, key);
	}
	return 0;
}

int top_screen_run(struct top_view *view, struct top_target *target,
		   struct live_counts *counts, int signals, char **why)
{
	struct top_screen screen = {
		.view = view,
		.target = target,
		.counts = counts,
	};
	char *detail;
	int err = screen_open(0, &detail);

	if (err) {
		*why = memory_printf("%s; use --batch", detail);
		free(detail);
		return err;
	}
	snprintf(screen.filter.text, sizeof(screen.filter.text), "%s",
		 view->filter);
	err = loop(&screen, signals, why);
	screen_page_clear(&screen.page);
	live_rows_fini(&screen.rows);
	screen_close();
	return err;
}
