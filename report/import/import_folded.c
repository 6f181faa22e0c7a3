/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks: "main;work;read 12". Each line is a stack, its outermost
 * function first, and a number. async-profiler and flamegraph.pl mark kinds of
 * functions at the end of a name, such as "read_[k]". Fractions are refused.
 */
#include <errno.h>
#include <string.h>

#include "report/import/import_lines.h"

/* Returns the blank before the number; NULL if the line has no number. */
static const char *end_of_stack(const char *line, size_t length,
				uint64_t *number)
{
	const char *at = line + length;
	const char *end;

	while (at > line && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	end = at;
	while (at > line && at[-1] >= '0' && at[-1] <= '9')
		at--;
	if (at == end || at == line || (at[-1] != ' ' && at[-1] != '\t'))
		return NULL;
	import_number(at, number);
	while (at > line && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	return at > line ? at : NULL;
}

/*
 * Returns whether the line ends with a number such as "3.5". Recordings have
 * integers, and rounding would change sums.
 */
static int has_fraction(const char *line)
{
	const char *at = line + strlen(line);
	const char *end;

	while (at > line && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	end = at;
	while (at > line && ((at[-1] >= '0' && at[-1] <= '9') || at[-1] == '.'))
		at--;
	return at < end && at > line && (at[-1] == ' ' || at[-1] == '\t') &&
	       memchr(at, '.', (size_t)(end - at)) != NULL;
}

int import_is_folded(const char *line)
{
	uint64_t number;

	return end_of_stack(line, strlen(line), &number) || has_fraction(line);
}

/*
 * Removes the mark of a kind, such as "_[j]", from the end of the name. Returns
 * the kind.
 */
static enum wire_imported_kind take_kind(const char *name, size_t *bytes)
{
	const char *mark = name + *bytes - 4;

	if (*bytes <= 4 || mark[0] != '_' || mark[1] != '[' || mark[3] != ']')
		return WIRE_IMPORTED_NATIVE;
	switch (mark[2]) {
	case 'k':
		*bytes -= 4;
		return WIRE_IMPORTED_KERNEL;
	case 'i':
		*bytes -= 4;
		return WIRE_IMPORTED_INLINED;
	/* methods that are compiled, interpreted, or compiled by C1 */
	case 'j':
	case '0':
	case '1':
		*bytes -= 4;
		return WIRE_IMPORTED_JAVA;
	default:
		return WIRE_IMPORTED_NATIVE;
	}
}

static uint32_t add_frames(struct import *import,
			   struct import_process *process, const char *at,
			   const char *end)
{
	uint32_t context = 0, depth = 0;

	while (at < end && depth++ < IMPORT_FRAMES_MAX) {
		const char *stop = memchr(at, ';', (size_t)(end - at));
		size_t bytes = (size_t)((stop ? stop : end) - at);
		const enum wire_imported_kind kind = take_kind(at, &bytes);

		context = import_child(
			import, process, context,
			import_function_of(import, at, bytes, "", 0, kind));
		if (context == 0)
			return 0;
		at = stop ? stop + 1 : end;
	}
	return at < end ? 0 : context;
}

int import_folded(struct import *import, struct import_lines *lines,
		  const struct import_measure *measure)
{
	const char *name = measure->name ? measure->name : "samples";
	const size_t column =
		import_column_of(import, name, strlen(name), measure->unit);

	import->flags = measure->name ? 0 : WIRE_IMPORT_SAMPLES;
	while (import_line_next(lines)) {
		const char *text = import_skip_blanks(lines->text), *end;
		struct import_process *process;
		uint32_t context;
		uint64_t number;

		if (!*text || *text == '#')
			continue;
		end = end_of_stack(text, strlen(text), &number);
		if (!end)
			return import_refuse(
				lines,
				has_fraction(text)
					? "has a fraction, and numbers must be "
					  "integers: multiply all numbers, by "
					  "1000 for example"
					: "is no folded stack: expected "
					  "\"a;b;c 12\"");
		process = import_process_of(import, 1, "folded");
		context = add_frames(import, process, text, end);
		if (context == 0)
			return import_refuse(lines,
					     "has too many frames or contexts");
		import_add(process, context, column, number);
	}
	return lines->err;
}
