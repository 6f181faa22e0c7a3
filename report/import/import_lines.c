/* SPDX-License-Identifier: MIT */
/* See import_lines.h. */
#include "report/import/import_lines.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

void import_lines_fini(struct import_lines *lines)
{
	free(lines->text);
	free(lines->problem);
}

int import_refuse(struct import_lines *lines, const char *format, ...)
{
	va_list arguments;

	if (lines->err)
		return lines->err;
	lines->err = -EINVAL;
	va_start(arguments, format);
	if (vasprintf(&lines->problem, format, arguments) < 0)
		memory_exhausted();
	va_end(arguments);
	return lines->err;
}

static void add_byte(struct import_lines *lines, char byte)
{
	if (lines->length == lines->capacity)
		lines->text = memory_grow(lines->text, lines->length,
					  &lines->capacity, 1);

	lines->text[lines->length++] = byte;
}

int import_line_next(struct import_lines *lines)
{
	int byte;

	if (lines->is_held) {
		lines->is_held = 0;
		return !lines->err;
	}
	if (lines->err)
		return 0;
	lines->length = 0;
	lines->number++;
	while ((byte = getc_unlocked(lines->in)) != EOF && byte != '\n') {
		if (byte == '\0') {
			import_refuse(lines, "has a NUL byte: not a text file");
			return 0;
		}
		if (lines->length == IMPORT_LINE_MAX) {
			import_refuse(lines, "is longer than %d bytes",
				      IMPORT_LINE_MAX);
			return 0;
		}
		add_byte(lines, (char)byte);
	}
	if (ferror(lines->in)) {
		import_refuse(lines, "cannot be read: %s", strerror(errno));
		return 0;
	}
	if (byte == EOF && lines->length == 0)
		return 0;
	if (lines->length > 0 && lines->text[lines->length - 1] == '\r')
		lines->length--;
	add_byte(lines, '\0');
	lines->length--;
	return 1;
}

const char *import_skip_blanks(const char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	return text;
}

const char *import_word_end(const char *text)
{
	while (*text && *text != ' ' && *text != '\t')
		text++;
	return text;
}

static int digit_of(char byte, unsigned int base)
{
	const int digit = isdigit((unsigned char)byte) ? byte - '0'
			  : isxdigit((unsigned char)byte)
				  ? tolower((unsigned char)byte) - 'a' + 10
				  : 16;

	return digit < (int)base ? digit : -1;
}

const char *import_number(const char *text, uint64_t *number)
{
	unsigned int base = 10;
	uint64_t found = 0;
	int digit;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	if (digit_of(*text, base) < 0)
		return NULL;
	for (; (digit = digit_of(*text, base)) >= 0; text++)
		found = found > (INT64_MAX - (uint64_t)digit) / base
				? INT64_MAX
				: found * base + (uint64_t)digit;
	*number = found;
	return text;
}

/* ---- The format ---- */

static enum wire_import_format format_of(const char *line)
{
	if (import_is_callgrind(line))
		return WIRE_IMPORT_CALLGRIND;
	if (import_is_perf(line))
		return WIRE_IMPORT_PERF;
	if (import_is_folded(line))
		return WIRE_IMPORT_FOLDED;
	return WIRE_IMPORT_FORMAT_COUNT;
}

/*
 * Determines the format by a line with "callgrind format", or by the first line
 * that is neither empty nor a comment. That line stays the next one to be read.
 */
static enum wire_import_format find_format(struct import_lines *lines)
{
	while (import_line_next(lines)) {
		if (strstr(lines->text, "callgrind format")) {
			lines->is_held = 1;
			return WIRE_IMPORT_CALLGRIND;
		}
		if (!*import_skip_blanks(lines->text) || lines->text[0] == '#')
			continue;
		lines->is_held = 1;
		return format_of(lines->text);
	}
	return WIRE_IMPORT_FORMAT_COUNT;
}

static int read_format(struct import *import, struct import_lines *lines,
		       enum wire_import_format format,
		       const struct import_measure *measure)
{
	if (format == WIRE_IMPORT_FORMAT_COUNT)
		format = find_format(lines);
	if (lines->err)
		return lines->err;
	import->format = format;
	switch (format) {
	case WIRE_IMPORT_PERF:
		return import_perf(import, lines, measure);
	case WIRE_IMPORT_FOLDED:
		return import_folded(import, lines, measure);
	case WIRE_IMPORT_CALLGRIND:
		return import_callgrind(import, lines);
	default:
		return import_refuse(lines,
				     "is of no known format: expected the "
				     "output of perf script, folded stacks or "
				     "callgrind.out; try --format");
	}
}

/*
 * Checks that the sums of columns do not overflow, because readers of the
 * recording add up the numbers of a column.
 */
static int check_sums(const struct import *import, char **why)
{
	for (size_t i = 0; i < import->column_count; i++) {
		uint64_t sum = 0;

		for (size_t j = 0; j < import->process_count; j++) {
			const struct import_column *column =
				&import->processes[j].columns[i];

			for (size_t k = 0; k < column->count; k++)
				import_limited_add(&sum, column->items[k]);
		}
		if (sum == INT64_MAX)
			return fail(why, -EOVERFLOW,
				    "the sum of '%s' is too large",
				    import->columns[i].name);
	}
	return 0;
}

int import_read(struct import *import, FILE *in, enum wire_import_format format,
		const struct import_measure *measure, char **why)
{
	struct import_lines lines = { .in = in };
	int err = read_format(import, &lines, format, measure);

	/*
	 * The functions for the formats do not notice a line that cannot be
	 * read.
	 */
	if (lines.err)
		err = fail(why, lines.err, "line %llu: %s",
			   (unsigned long long)lines.number, lines.problem);
	else if (!err && import->context_count == 0)
		err = fail(why, -ENODATA, "no stack or cost in the file");
	else if (!err)
		err = check_sums(import, why);
	import_lines_fini(&lines);
	return err;
}
