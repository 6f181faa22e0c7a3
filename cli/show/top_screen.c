/* SPDX-License-Identifier: MIT */
/* See top_screen.h. */
#include "cli/show/top_screen.h"

#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <ncurses.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/memory.h"
#include "base/now.h"
#include "cli/show/top_table.h"
#include "cli/target/snapshot.h"
#include "report/view/selection.h"
#include "report/view/session.h"
#include "report/write/text_writer.h"

/* Number of lines above and below the rows. */
enum { ABOVE = 4, BELOW = 1 };

enum { KEY_ESCAPE = 27, ESCAPE_MS = 25 };

/* Text that replaces the table until the user closes it. */
struct page {
	char *text; /* Lines; NULL while the table is shown. */
	size_t first, count;
};

struct screen {
	struct top_view *view;
	const struct top_target *target;
	struct live_counts *counts;
	struct live_rows rows;
	size_t selected, first;
	struct page page;
	char message[160]; /* Shown until the next key. */
	int is_paused, is_typing, has_ended, is_over;
};

static const char help_text[] =
	"clew top: what a process calls now\n"
	"\n"
	"up, down, Page Up, Page Down   choose a row\n"
	"Enter                          callers and callees of the row so far\n"
	"f  c  m  t                     functions, contexts, modules, threads\n"
	"s                              sort by the next column\n"
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

static size_t rows_on_screen(void)
{
	return LINES > ABOVE + BELOW ? (size_t)(LINES - ABOVE - BELOW) : 1;
}

/* Prints as much of the text as fits the line. */
static void put_line(int line, const char *text, size_t bytes, int attributes)
{
	mbstate_t state = { 0 };
	int column = 0;

	move(line, 0);
	clrtoeol();
	attrset(attributes);
	while (bytes > 0 && line < LINES) {
		wchar_t character;
		const size_t length = mbrtowc(&character, text, bytes, &state);
		int width;

		if (length == 0 || length > bytes)
			break;
		width = wcwidth(character);
		if (width < 0 || column + width > COLS)
			break;
		mvaddnwstr(line, column, &character, 1);
		column += width;
		text += length;
		bytes -= length;
	}
	if (attributes & A_REVERSE)
		for (; column < COLS; column++)
			mvaddch(line, column, ' ');
	attrset(A_NORMAL);
}

static void put_text(int line, char *text, int attributes)
{
	put_line(line, text, strlen(text), attributes);
	free(text);
}

static char *state_text(const struct screen *screen)
{
	const struct top_view *view = screen->view;

	if (*screen->message)
		return memory_printf("%s", screen->message);
	if (screen->is_typing || *view->filter)
		return memory_printf("filter: %s%s", view->filter,
				     screen->is_typing ? "_" : "");
	return memory_printf("sorted by %s, every %.1f s%s",
			     live_key_text(view->key),
			     top_delay_s(view, screen->counts),
			     screen->has_ended   ? ", the process has ended"
			     : screen->is_paused ? ", paused"
						 : "");
}

static void draw_frame(struct screen *screen)
{
	erase();
	put_text(0,
		 memory_printf("clew top: process %d  %s", screen->target->pid,
			       screen->target->command),
		 A_BOLD);
	put_text(1, top_total_text(screen->counts), A_NORMAL);
	put_text(2, state_text(screen), A_NORMAL);
	put_text(LINES - 1,
		 memory_printf("h help  q %s  Enter callers and callees  "
			       "f/c/m/t rows  s sort  / filter  p pause  "
			       "w write",
			       screen->page.text ? "back" : "quit"),
		 A_DIM);
}

/* Scrolls so that the selected row is visible. */
static void scroll_to_selected(struct screen *screen)
{
	const size_t there = rows_on_screen();

	if (screen->rows.count && screen->selected >= screen->rows.count)
		screen->selected = screen->rows.count - 1;
	if (!screen->rows.count)
		screen->selected = 0;
	if (screen->selected < screen->first)
		screen->first = screen->selected;
	if (screen->selected >= screen->first + there)
		screen->first = screen->selected - there + 1;
}

/* Gives names the rest of the line. */
static void limit_names(struct shown_names *names)
{
	const unsigned int columns = COLS > 0 ? (unsigned int)COLS : 0;
	const unsigned int room = columns > TOP_NAME_AT + TOP_NAME_MIN
					  ? columns - TOP_NAME_AT
					  : TOP_NAME_MIN;

	if (names->room == room)
		return;
	shown_names_fini(names);
	names->room = room;
	names->ellipsis =
		strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? "\u2026" : "...";
}

static void draw_table(struct screen *screen)
{
	const size_t there = rows_on_screen();

	limit_names(&screen->counts->names);
	scroll_to_selected(screen);
	put_text(ABOVE - 1, top_heading_text(&screen->rows), A_REVERSE);
	for (size_t i = 0; i < there && screen->first + i < screen->rows.count;
	     i++) {
		const size_t at = screen->first + i;

		put_text(ABOVE + (int)i,
			 top_row_text(&screen->rows, screen->counts,
				      &screen->rows.items[at]),
			 at == screen->selected ? A_BOLD | A_UNDERLINE
						: A_NORMAL);
	}
}

static void draw_page(const struct screen *screen)
{
	const char *line = screen->page.text;
	const size_t there = rows_on_screen() + 1;

	for (size_t i = 0; *line && i < screen->page.first + there; i++) {
		const size_t length = strcspn(line, "\n");

		if (i >= screen->page.first)
			put_line(ABOVE - 1 + (int)(i - screen->page.first),
				 line, length, A_NORMAL);
		line += length + (line[length] == '\n');
	}
}

static void draw(struct screen *screen)
{
	draw_frame(screen);
	if (screen->page.text)
		draw_page(screen);
	else
		draw_table(screen);
	refresh();
}

/* ---- Pages ---- */

static void close_page(struct screen *screen)
{
	free(screen->page.text);
	screen->page = (struct page){ 0 };
}

/* Takes ownership of the text. */
static void open_page(struct screen *screen, char *text)
{
	close_page(screen);
	screen->page.text = text;
	for (const char *c = text; *c; c++)
		screen->page.count += *c == '\n';
}

static void say(struct screen *screen, char *text)
{
	snprintf(screen->message, sizeof(screen->message), "%s", text);
	free(text);
}

/* Returns the callers and callees of functions with this name, or NULL. */
static char *butterfly_text(struct session *session, const char *name)
{
	uint8_t *chosen = selection_named(&session->catalog, name);
	struct butterfly butterfly;
	char *text = NULL;
	size_t bytes;
	FILE *out = chosen ? open_memstream(&text, &bytes) : NULL;

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

/* Opens a page about the selected function, with its counts so far. */
static void open_function(struct screen *screen)
{
	static const struct whose everybody = { 0 };
	const struct live_row *row = &screen->rows.items[screen->selected];
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
	if (session_open(&session, screen->target->part, &everybody, &why) !=
	    0) {
		say(screen, why);
		return;
	}
	session.is_quiet = 1;
	text = butterfly_text(&session,
			      catalog_name(&screen->counts->catalog, function));
	if (text)
		open_page(screen, text);
	session_close(&session);
}

static void write_snapshot(struct screen *screen)
{
	char *directory = NULL, *why;

	if (snapshot_make(screen->target->recording, screen->target->part,
			  screen->view->output, &directory, &why) != 0)
		say(screen, why);
	else
		say(screen, memory_printf("snapshot written to %s", directory));
	free(directory);
}

/* ---- Keys ---- */

static void choose_rows(struct screen *screen)
{
	live_rows_fini(&screen->rows);
	live_rows_init(&screen->rows, screen->counts, screen->view->subject,
		       screen->view->key, screen->view->filter);
}

static void choose_subject(struct screen *screen, enum live_subject subject)
{
	screen->view->subject = subject;
	screen->selected = screen->first = 0;
	choose_rows(screen);
}

static void type(struct screen *screen, int key)
{
	char *filter = screen->view->filter;
	size_t length = strlen(filter);

	if (key == '\n' || key == KEY_ENTER) {
		screen->is_typing = 0;
	} else if (key == KEY_ESCAPE) {
		screen->is_typing = 0;
		*filter = '\0';
	} else if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
		if (length > 0)
			filter[length - 1] = '\0';
	} else if (key >= ' ' && key < 256 &&
		   length + 1 < sizeof(screen->view->filter)) {
		filter[length] = (char)key;
		filter[length + 1] = '\0';
	}
	choose_rows(screen);
}

/* Moves by a number of rows, or of lines of a page. */
static void step(struct screen *screen, long by)
{
	size_t *at =
		screen->page.text ? &screen->page.first : &screen->selected;
	const size_t count =
		screen->page.text ? screen->page.count : screen->rows.count;

	if (by < 0)
		*at -= *at < (size_t)-by ? *at : (size_t)-by;
	else
		*at += (size_t)by;
	if (*at >= count)
		*at = count ? count - 1 : 0;
}

static int move_by_key(struct screen *screen, int key)
{
	const long page = (long)rows_on_screen();

	switch (key) {
	case KEY_UP:
	case 'k':
		step(screen, -1);
		return 1;
	case KEY_DOWN:
	case 'j':
		step(screen, 1);
		return 1;
	case KEY_PPAGE:
		step(screen, -page);
		return 1;
	case KEY_NPAGE:
		step(screen, page);
		return 1;
	case KEY_HOME:
		step(screen, LONG_MIN / 2);
		return 1;
	case KEY_END:
		step(screen, LONG_MAX / 2);
		return 1;
	default:
		return 0;
	}
}

static int choose_by_key(struct screen *screen, int key)
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

static void obey_table(struct screen *screen, int key)
{
	double *delay_s = &screen->view->delay_s;

	switch (key) {
	case 'q':
		screen->is_over = 1;
		break;
	case '\n':
	case KEY_ENTER:
		open_function(screen);
		break;
	case '/':
		screen->is_typing = 1;
		break;
	case KEY_ESCAPE:
		*screen->view->filter = '\0';
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

static void obey(struct screen *screen, int key)
{
	*screen->message = '\0';
	if (screen->is_typing) {
		type(screen, key);
	} else if (move_by_key(screen, key) || key == KEY_RESIZE) {
		return;
	} else if (key == 'h' || key == '?') {
		open_page(screen, memory_string(help_text, strlen(help_text)));
	} else if (screen->page.text) {
		if (key == 'q' || key == KEY_ESCAPE || key == '\n')
			close_page(screen);
	} else {
		obey_table(screen, key);
	}
}

/* ---- The loop ---- */

static double now_s(void)
{
	return (double)now_ns(CLOCK_MONOTONIC) / 1e9;
}

static int look(struct screen *screen, char **why)
{
	const int is_alive = top_target_is_alive(screen->target);
	int err = live_counts_look(screen->counts, screen->target->part, why);

	if (err)
		return err;
	screen->has_ended = !is_alive;
	choose_rows(screen);
	return 0;
}

/*
 * Waits for a key, or for left_s seconds. Returns 0 if a signal arrives first.
 */
static int await_key(int signals, double left_s)
{
	struct pollfd either[] = { { .fd = signals, .events = POLLIN },
				   { .fd = STDIN_FILENO, .events = POLLIN } };
	const int ms =
		left_s > 0 && left_s < 1 ? (int)(left_s * 1000) + 1 : 1000;

	return poll(either, 2, ms) <= 0 || !either[0].revents;
}

static int loop(struct screen *screen, int signals, char **why)
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
		if (!await_key(signals, left_s))
			break;
		key = getch();
		if (key != ERR)
			obey(screen, key);
	}
	return 0;
}

int top_screen_run(struct top_view *view, const struct top_target *target,
		   struct live_counts *counts, int signals, char **why)
{
	struct screen screen = {
		.view = view,
		.target = target,
		.counts = counts,
	};
	SCREEN *terminal = newterm(NULL, stdout, stdin);
	int err;

	if (!terminal) {
		*why = memory_printf(
			"the terminal type in $TERM is unknown; use --batch");
		return -ENOTTY;
	}
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	err = loop(&screen, signals, why);
	close_page(&screen);
	live_rows_fini(&screen.rows);
	endwin();
	delscreen(terminal);
	return err;
}
