/* SPDX-License-Identifier: MIT */
/* See screen.h. */
#include "cli/show/screen.h"

#define NCURSES_NOMACROS 1
#include <errno.h>
#include <limits.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "base/fail.h"
#include "base/memory.h"

enum {
	KEY_ESCAPE_MS = 25,
	SHIFT = 10, /* number of columns by which a key scrolls */
	SHIFT_MAX = 1000,
};

/*
 * Signals of crashes. SIGBUS is not among them, because truncated_files.h
 * handles it.
 */
static const int crashes[] = { SIGSEGV, SIGABRT, SIGILL, SIGFPE };

enum { CRASHES = sizeof(crashes) / sizeof(*crashes), STACK_BYTES = 1 << 14 };

/* The terminal, of which a process has one. Signal handlers use it. */
static struct {
	SCREEN *screen; /* NULL while the terminal is not taken over */
	struct termios before;
	/* escape sequences that end the mode of the screen */
	char leaving[256];
	size_t leaving_bytes;
	pid_t owner; /* pid of clew; children may inherit the handlers */
	int has_color;
	int has_exit_handler;
	/*
	 * stack for the handlers, because a crash may have used up the other
	 * stack
	 */
	char crash_stack[STACK_BYTES];
} terminal;

/* ---- Restoring the terminal ---- */

/* Appends a string of terminfo, without the delays "$<5>". */
static void add_leaving(const char *name)
{
	const char *text = tigetstr(name);

	/* terminfo returns (char *)-1 for a name that is no string. */
	if (!text || text == (const char *)-1)
		return;
	while (*text && terminal.leaving_bytes < sizeof(terminal.leaving)) {
		const char *end =
			strncmp(text, "$<", 2) == 0 ? strchr(text, '>') : NULL;

		if (end)
			text = end + 1;
		else
			terminal.leaving[terminal.leaving_bytes++] = *text++;
	}
}

/*
 * Restores the terminal, if this process has taken it over. Signal handlers may
 * call it.
 */
static void restore(void)
{
	if (!terminal.screen || getpid() != terminal.owner)
		return;
	/*
	 * The error is ignored: a terminal that no longer exists need not be
	 * restored.
	 */
	if (write(STDOUT_FILENO, terminal.leaving, terminal.leaving_bytes) < 0)
		return;
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
}

static void die_of(int number)
{
	restore();
	/* Because of SA_RESETHAND, the default action now ends the process. */
	raise(number);
}

/*
 * Installs handlers that restore the terminal if the process crashes. Signals
 * that have a handler or are ignored keep their action.
 */
static void watch_crashes(void)
{
	struct sigaction action = {
		.sa_handler = die_of,
		.sa_flags = SA_RESETHAND | SA_ONSTACK,
	};

	sigaltstack(&(stack_t){ .ss_sp = terminal.crash_stack,
				.ss_size = STACK_BYTES },
		    NULL);
	sigemptyset(&action.sa_mask);
	for (unsigned int i = 0; i < CRASHES; i++) {
		struct sigaction present;

		if (sigaction(crashes[i], NULL, &present) == 0 &&
		    present.sa_handler == SIG_DFL)
			sigaction(crashes[i], &action, NULL);
	}
}

/* ---- Opening and closing ---- */

/* Returns whether the terminal can place text at a position. */
static int can_place_text(void)
{
	const char *text = tigetstr("cup");

	return text && text != (const char *)-1;
}

/*
 * Defines the colours of text_begin(), with the terminal's background. Clears
 * has_color if the terminal has no colours.
 */
static void begin_colors(void)
{
	if (!terminal.has_color || !has_colors() || start_color() != OK) {
		terminal.has_color = 0;
		return;
	}
	use_default_colors();
	for (short i = 1; i < 8; i++)
		init_pair(i, i, -1);
}

/*
 * Returns a new terminal, or NULL. Restores the actions of SIGINT and SIGTERM,
 * which newterm() changes.
 */
static SCREEN *new_terminal(void)
{
	struct sigaction interrupt, termination;
	SCREEN *screen;

	sigaction(SIGINT, NULL, &interrupt);
	sigaction(SIGTERM, NULL, &termination);
	screen = newterm(NULL, stdout, stdin);
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGTERM, &termination, NULL);
	return screen;
}

int screen_open(int has_color, char **why)
{
	tcgetattr(STDIN_FILENO, &terminal.before);
	terminal.screen = new_terminal();
	if (terminal.screen && !can_place_text())
		screen_close();
	if (!terminal.screen)
		return fail(why, -ENOTTY,
			    "the terminal type in $TERM is unknown, or cannot "
			    "show a screen");
	terminal.owner = getpid();
	terminal.has_color = has_color;
	terminal.leaving_bytes = 0;
	add_leaving("sgr0");
	add_leaving("cnorm");
	add_leaving("rmkx");
	add_leaving("rmcup");
	watch_crashes();
	if (!terminal.has_exit_handler)
		terminal.has_exit_handler = atexit(restore) == 0;
	begin_colors();
	set_escdelay(KEY_ESCAPE_MS);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	return 0;
}

void screen_close(void)
{
	/* Terminals without an alternate screen keep the last line. */
	move(LINES - 1, 0);
	clrtoeol();
	refresh();
	endwin();
	delscreen(terminal.screen);
	terminal.screen = NULL;
}

unsigned int screen_columns(void)
{
	return COLS > 0 ? (unsigned int)COLS : 0;
}

size_t screen_rows(void)
{
	return LINES > SCREEN_ABOVE + SCREEN_BELOW
		       ? (size_t)(LINES - SCREEN_ABOVE - SCREEN_BELOW)
		       : 1;
}

/* ---- Keys ---- */

static int translated(int key)
{
	switch (key) {
	case KEY_UP:
		return SCREEN_UP;
	case KEY_DOWN:
		return SCREEN_DOWN;
	case KEY_LEFT:
		return SCREEN_LEFT;
	case KEY_RIGHT:
		return SCREEN_RIGHT;
	case KEY_PPAGE:
		return SCREEN_PAGE_UP;
	case KEY_NPAGE:
		return SCREEN_PAGE_DOWN;
	case KEY_HOME:
		return SCREEN_HOME;
	case KEY_END:
		return SCREEN_LAST;
	case KEY_BACKSPACE:
	case 127:
	case '\b':
		return SCREEN_BACKSPACE;
	case KEY_ENTER:
	case '\r':
		return SCREEN_ENTER;
	case KEY_RESIZE:
		return SCREEN_RESIZE;
	default:
		return key;
	}
}

int screen_key(int signals, int ms)
{
	struct pollfd either[] = { { .fd = signals, .events = POLLIN },
				   { .fd = STDIN_FILENO, .events = POLLIN } };
	int key = getch();

	/* curses may have read more than one key. */
	if (key != ERR)
		return translated(key);
	if (poll(either, 2, ms) > 0 && either[0].revents)
		return SCREEN_END;
	/* A change of the size interrupts poll(), and is read as a key. */
	key = getch();
	if (key == ERR)
		return either[1].revents & (POLLHUP | POLLERR | POLLNVAL)
			       ? SCREEN_END
			       : SCREEN_NO_KEY;
	return translated(key);
}

/* ---- Drawing ---- */

void screen_begin(void)
{
	erase();
}

void screen_finish(void)
{
	refresh();
}

static attr_t attributes_of(int look)
{
	return (look & LOOK_BOLD ? A_BOLD : 0) | (look & LOOK_DIM ? A_DIM : 0) |
	       (look & LOOK_REVERSE ? A_REVERSE : 0) |
	       (look & LOOK_UNDERLINE ? A_UNDERLINE : 0);
}

/*
 * Sets the attributes of an escape sequence, "\033[1;31m" for example, in
 * addition to those of the line. Returns the byte after the sequence.
 */
static const char *set_attributes(const char *text, attr_t line)
{
	attr_t attributes = line;
	short pair = 0;

	for (text += 2; *text && *text != 'm'; text++) {
		if (*text == '3' && text[1] >= '0' && text[1] <= '7')
			pair = (short)(*++text - '0');
		else if (*text == '1')
			attributes |= A_BOLD;
		else if (*text == '2')
			attributes |= A_DIM;
	}
	attr_set(attributes, terminal.has_color ? pair : 0, NULL);
	return *text ? text + 1 : text;
}

/* Draws a line without its first `shift` columns. */
static void draw_line(unsigned int line, const char *text, int look, int shift)
{
	const attr_t attributes = attributes_of(look);
	mbstate_t state = { 0 };
	int column = -shift;

	if (line >= (unsigned int)LINES)
		return;
	move((int)line, 0);
	clrtoeol();
	attr_set(attributes, 0, NULL);
	while (*text) {
		wchar_t character;
		size_t length;
		int width;

		if (text[0] == '\033' && text[1] == '[') {
			text = set_attributes(text, attributes);
			continue;
		}
		length = mbrtowc(&character, text, MB_LEN_MAX, &state);
		/* The bytes are no character of the locale. */
		if (length > MB_LEN_MAX) {
			character = L'?';
			length = 1;
			state = (mbstate_t){ 0 };
		}
		width = wcwidth(character);
		if (width < 0 || column + width > COLS)
			break;
		if (column >= 0)
			mvaddnwstr((int)line, column, &character, 1);
		column += width;
		text += length;
	}
	attr_set(attributes, 0, NULL);
	if (look & LOOK_REVERSE)
		for (column = column > 0 ? column : 0; column < COLS; column++)
			mvaddch((int)line, column, ' ');
	attr_set(A_NORMAL, 0, NULL);
}

void screen_line(unsigned int line, const char *text, int look)
{
	draw_line(line, text, look, 0);
}

void screen_take_line(unsigned int line, char *text, int look)
{
	screen_line(line, text, look);
	free(text);
}

void screen_keys(const char *text)
{
	screen_line(LINES > 0 ? (unsigned int)LINES - 1 : 0, text, LOOK_DIM);
}

/* ---- Rows ---- */

static void step(struct screen_list *list, size_t by, int is_up)
{
	size_t row = list->selected;

	if (is_up)
		row = row > by ? row - by : 0;
	else
		row = by < list->count - row ? row + by : list->count;
	screen_list_select(list, row);
}

int screen_list_move(struct screen_list *list, int key)
{
	switch (key) {
	case SCREEN_UP:
	case 'k':
		step(list, 1, 1);
		return 1;
	case SCREEN_DOWN:
	case 'j':
		step(list, 1, 0);
		return 1;
	case SCREEN_PAGE_UP:
		step(list, screen_rows(), 1);
		return 1;
	case SCREEN_PAGE_DOWN:
		step(list, screen_rows(), 0);
		return 1;
	case SCREEN_HOME:
	case 'g':
		screen_list_select(list, 0);
		return 1;
	case SCREEN_LAST:
	case 'G':
		screen_list_select(list, list->count);
		return 1;
	default:
		return 0;
	}
}

void screen_list_shift(struct screen_list *list, int key)
{
	const int by = key == SCREEN_LEFT ? -SHIFT : SHIFT;

	if (list->shift + by >= 0 && list->shift + by <= SHIFT_MAX)
		list->shift += by;
}

void screen_list_select(struct screen_list *list, size_t row)
{
	const size_t visible = screen_rows();

	if (row >= list->count)
		row = list->count ? list->count - 1 : 0;
	list->selected = row;
	if (row < list->first)
		list->first = row;
	if (row >= list->first + visible)
		list->first = row - visible + 1;
}

void screen_list_draw(struct screen_list *list, const char *heading,
		      screen_write_row *write, void *context)
{
	const size_t visible = screen_rows();

	screen_list_select(list, list->selected);
	screen_line(SCREEN_ABOVE - 1, heading, LOOK_BOLD | LOOK_UNDERLINE);
	for (size_t i = 0; i < visible && list->first + i < list->count; i++) {
		const size_t row = list->first + i;
		char *text = NULL;
		size_t bytes;
		FILE *out = memory_stream(&text, &bytes);

		write(out, context, row);
		fclose(out);
		draw_line(SCREEN_ABOVE + (unsigned int)i, text,
			  row == list->selected ? LOOK_REVERSE : LOOK_PLAIN,
			  list->shift);
		free(text);
	}
}

/* ---- Pages of text ---- */

void screen_page_clear(struct screen_page *page)
{
	free(page->text);
	free(page->lines);
	*page = (struct screen_page){ 0 };
}

void screen_page_set(struct screen_page *page, char *text)
{
	struct screen_page new = { .text = text };
	char *next = text;

	while (*next) {
		new.lines = memory_grow(new.lines, new.list.count,
					&new.capacity, sizeof(*new.lines));
		new.lines[new.list.count++] = next;
		next += strcspn(next, "\n");
		if (*next)
			*next++ = '\0';
	}
	screen_page_clear(page);
	*page = new;
}

static void write_page_line(FILE *out, void *context, size_t row)
{
	const struct screen_page *page = context;

	fputs(page->lines[row], out);
}

void screen_page_draw(struct screen_page *page, const char *heading)
{
	screen_list_draw(&page->list, heading, write_page_line, page);
}

/*
 * Returns whether a line contains the text. Ignores case and escape sequences
 * in the line.
 */
static int line_contains(const char *line, const char *text)
{
	char *plain = memory_string(line, strlen(line)), *to = plain;
	int does;

	while (*line) {
		if (line[0] == '\033' && line[1] == '[') {
			line += strcspn(line, "m");
			line += *line == 'm';
		} else {
			*to++ = *line++;
		}
	}
	*to = '\0';
	does = strcasestr(plain, text) != NULL;
	free(plain);
	return does;
}

int screen_page_find(const struct screen_page *page, struct screen_list *list,
		     const char *text, int is_backward)
{
	const size_t count = page->list.count;
	size_t row = list->selected;

	for (size_t i = 0; i < count; i++) {
		row = is_backward ? (row + count - 1) % count
				  : (row + 1) % count;
		if (line_contains(page->lines[row], text)) {
			screen_list_select(list, row);
			return 1;
		}
	}
	return 0;
}

/* ---- A line of input ---- */

/* Removes the last character, which may have several bytes. */
static void remove_last(char *text)
{
	size_t length = strlen(text);

	while (length > 0 && ((unsigned char)text[length - 1] & 0xc0) == 0x80)
		length--;
	if (length > 0)
		length--;
	text[length] = '\0';
}

enum screen_typed screen_input_key(struct screen_input *input, int key)
{
	const size_t length = strlen(input->text);

	switch (key) {
	case SCREEN_ENTER:
		input->is_typing = 0;
		return INPUT_ENTERED;
	case SCREEN_ESCAPE:
		input->is_typing = 0;
		input->text[0] = '\0';
		return INPUT_CANCELLED;
	case SCREEN_BACKSPACE:
		remove_last(input->text);
		return INPUT_CONTINUES;
	default:
		if (key >= ' ' && key < 256 &&
		    length + 1 < sizeof(input->text)) {
			input->text[length] = (char)key;
			input->text[length + 1] = '\0';
		}
		return INPUT_CONTINUES;
	}
}
