/* SPDX-License-Identifier: MIT */
/* The lines of a text file that is imported. */
#ifndef CLEW_IMPORT_IMPORT_LINES_H
#define CLEW_IMPORT_IMPORT_LINES_H

#include "report/import/import.h"

/* The caller sets `in`, and all other members to 0, before use. */
struct import_lines {
	FILE *in;
	char *text; /* the present line, with a NUL instead of the newline */
	size_t length, capacity;
	uint64_t number; /* number of the present line, from 1 on */
	int is_held;     /* whether the next line is the present one again */
	/* text of the problem without the line's number, or NULL */
	char *problem;
	int err; /* -errno of the problem, or 0 */
};

void import_lines_fini(struct import_lines *lines);

/*
 * Reads the next line. Returns 0 at the end of the file, and after a problem.
 */
int import_line_next(struct import_lines *lines);

/*
 * Stores a problem of the present line, unless one was stored before. Returns
 * the error, -EINVAL.
 */
int import_refuse(struct import_lines *lines, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- Words ---- */

/* Returns the first character that is no blank. */
const char *import_skip_blanks(const char *text);

/* Returns the end of the word that begins here. */
const char *import_word_end(const char *text);

/*
 * Parses a number in decimal, or in hexadecimal after "0x". Returns what
 * follows; NULL if there is no digit. Numbers stop at INT64_MAX.
 */
const char *import_number(const char *text, uint64_t *number);

/* ---- Formats ---- */

/* Return whether this may be the first line of the format, without comments. */
int import_is_perf(const char *line);
int import_is_folded(const char *line);
int import_is_callgrind(const char *line);

/* Return 0, or -errno after a problem. */
int import_perf(struct import *import, struct import_lines *lines,
		const struct import_measure *measure);
int import_folded(struct import *import, struct import_lines *lines,
		  const struct import_measure *measure);
int import_callgrind(struct import *import, struct import_lines *lines);

#endif
