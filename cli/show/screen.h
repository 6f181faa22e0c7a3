/* SPDX-License-Identifier: MIT */
/*
 * A terminal on which a command shows rows and obeys keys: the part that `clew
 * top` and `clew view` share.
 *
 * The first SCREEN_ABOVE lines describe what is shown, and the last line lists
 * keys. Between them is a list, of which one row is selected. Text may contain
 * the escape sequences of text_begin() (report/write/text_writer.h).
 */
#ifndef CLEW_CLI_SHOW_SCREEN_H
#define CLEW_CLI_SHOW_SCREEN_H

#include <stddef.h>
#include <stdio.h>

enum { SCREEN_ABOVE = 4, SCREEN_BELOW = 1 };

/* Attributes of a line; they may be combined. */
enum screen_look {
	LOOK_PLAIN = 0,
	LOOK_BOLD = 1,
	LOOK_DIM = 2,
	LOOK_REVERSE = 4, /* reverse colours, which fill the line */
	LOOK_UNDERLINE = 8,
};

/* Results of screen_key() besides characters. */
enum screen_key {
	SCREEN_NO_KEY = -1,
	SCREEN_END = -2, /* a signal arrived, or the terminal was closed */
	SCREEN_ESCAPE = 27,
	SCREEN_ENTER = '\n',
	SCREEN_UP = 0x1000,
	SCREEN_DOWN,
	SCREEN_LEFT,
	SCREEN_RIGHT,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_LAST, /* the key End */
	SCREEN_BACKSPACE,
	SCREEN_RESIZE, /* the terminal has another size */
};

/*
 * Takes over the terminal at stdin and stdout. Without `has_color`, escape
 * sequences of text have no colours. The terminal is restored by
 * screen_close(), and if the process exits or crashes (SIGSEGV, SIGABRT,
 * SIGILL, SIGFPE). Returns 0; or -ENOTTY and *why if the terminal's type is
 * unknown or it cannot place text at a position.
 */
int screen_open(int has_color, char **why);
void screen_close(void);

/*
 * Return the number of columns (0 if unknown), and the number of lines of the
 * list (at least 1).
 */
unsigned int screen_columns(void);
size_t screen_rows(void);

/*
 * Waits for a key, at most `ms` milliseconds (-1: without limit), or until
 * `signals` (ending_signals.h) is readable. Returns a byte of a character or an
 * enum screen_key: SCREEN_NO_KEY after `ms`, SCREEN_END if `signals` is
 * readable.
 */
int screen_key(int signals, int ms);

/* Start and finish drawing. */
void screen_begin(void);
void screen_finish(void);

/*
 * Draws as much of the text as the line has room for. Stops at a character that
 * cannot be shown.
 */
void screen_line(unsigned int line, const char *text, int look);
/* Like screen_line(), but also frees the text. */
void screen_take_line(unsigned int line, char *text, int look);
/* Draws in the last line. */
void screen_keys(const char *text);

/* ---- Rows ---- */

struct screen_list {
	size_t count, selected;
	size_t first; /* the first visible row */
	int shift;    /* columns of each row that are hidden on the left */
};

/*
 * Moves the selection by arrows and similar keys. Returns whether `key` is one.
 */
int screen_list_move(struct screen_list *list, int key);

/*
 * Scrolls by ten columns for SCREEN_LEFT or SCREEN_RIGHT, up to 1,000 columns.
 */
void screen_list_shift(struct screen_list *list, int key);

/*
 * Selects a row, or the last one if `row` is out of range, and scrolls to it.
 */
void screen_list_select(struct screen_list *list, size_t row);

/* Writes one row without a newline. */
typedef void screen_write_row(FILE *out, void *context, size_t row);

/* Draws the visible rows, below a heading. */
void screen_list_draw(struct screen_list *list, const char *heading,
		      screen_write_row *write, void *context);

/* ---- Pages of text ---- */

/* A text with many lines. All members are 0 if there is no page. */
struct screen_page {
	char *text;
	char **lines; /* point into `text` */
	size_t capacity;
	struct screen_list list;
};

/* Replaces the text, of which the page becomes the owner. */
void screen_page_set(struct screen_page *page, char *text);
void screen_page_clear(struct screen_page *page);

/* Draws the lines; the page scrolls by screen_list_move(). */
void screen_page_draw(struct screen_page *page, const char *heading);

/*
 * Selects the next row of `list` whose line in the page contains the text; with
 * is_backward, the previous one. Ignores case, and continues at the other end.
 * Returns 0 if no line contains it.
 */
int screen_page_find(const struct screen_page *page, struct screen_list *list,
		     const char *text, int is_backward);

/* ---- A line of input ---- */

struct screen_input {
	char text[128];
	int is_typing;
};

enum screen_typed { INPUT_CONTINUES, INPUT_ENTERED, INPUT_CANCELLED };

/* Obeys a key while the user types. */
enum screen_typed screen_input_key(struct screen_input *input, int key);

#endif
