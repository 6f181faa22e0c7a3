/* SPDX-License-Identifier: MIT */
/*
 * Perf's text map of generated code, /tmp/perf-PID.map: a line for each piece,
 *
 *	start size name of any kind, up to the end of the line
 *
 * The numbers are hexadecimal, with or without 0x. Writers only append: code
 * that was moved or recompiled is announced again, often over parts of older
 * code, and the removal of code is not announced. The newest line therefore
 * counts.
 *
 * The last line of a file that is being written may be incomplete. The line is
 * used even without a newline, since a truncated name cannot be recognised.
 */
#include <errno.h>
#include <string.h>

#include "symbolizer/a2n.h"
#include "symbolizer/space/feed.h"

enum { LONGEST = 1 << 20 };

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parses a number with the blanks around it and advances *at. */
static int parse_hex(const char **at, uint64_t *out)
{
	const char *c = *at;
	uint64_t number = 0;

	while (is_blank(*c))
		c++;
	if (c[0] == '0' && (c[1] | 0x20) == 'x')
		c += 2;
	if (digit_of(*c) < 0)
		return 0;
	for (; digit_of(*c) >= 0; c++) {
		if (number >> 60)
			return 0;
		number = number << 4 | (uint64_t)digit_of(*c);
	}
	if (*c && !is_blank(*c))
		return 0;
	while (is_blank(*c))
		c++;
	*at = c;
	*out = number;
	return 1;
}

/* Parses a line, a string of that length. Rejects lines with NULs. */
static int parse_line(char *line, size_t length, struct a2n_code *out)
{
	const char *at = line;

	if (strlen(line) != length)
		return 0;
	if (length > 0 && line[length - 1] == '\r')
		line[length - 1] = '\0';
	if (!parse_hex(&at, &out->start) || !parse_hex(&at, &out->bytes))
		return 0;
	out->name = at;
	return *at != '\0'; /* perf also skips lines without a name */
}

/*
 * Returns the next line as a string in the feed's window. Sets *skip to the
 * length including the newline, and *is_whole if there is a newline. A line
 * that is too long is returned in parts that are not whole.
 */
static char *peek_line(struct feed *feed, size_t *length, size_t *skip,
		       int *is_whole)
{
	size_t searched = 0, have = 0;
	uint8_t *line, *end = NULL;

	do {
		searched = have;
		have = feed_peek(feed, searched + 1, &line);
		if (have > searched)
			end = memchr(line + searched, '\n', have - searched);
	} while (!end && have > searched && have < LONGEST);
	*is_whole = end != NULL;
	*length = end ? (size_t)(end - line) : have;
	*skip = *length + (end != NULL);
	if (have > 0)
		line[*length] = '\0';
	return (char *)line;
}

/* Reads one line, which counts once however long it is. */
static int read_line(struct feed *feed, struct a2n_space *space, uint64_t time,
		     struct a2n_read *read)
{
	struct a2n_code code;
	size_t length, skip;
	int is_whole, err = -EINVAL;
	char *line = peek_line(feed, &length, &skip, &is_whole);

	if (skip == 0) { /* the file was truncated after it was opened */
		feed->size = feed->offset;
		return feed->err;
	}
	if (length < LONGEST && parse_line(line, length, &code))
		err = a2n_space_add(space, &code, time, NULL);
	feed_skip(feed, skip);
	while (!is_whole && length >= LONGEST && !feed_is_over(feed)) {
		feed_skip_hole(feed);
		peek_line(feed, &length, &skip, &is_whole);
		feed_skip(feed, skip);
	}
	if (err == -EINVAL) {
		read->malformed++;
		return 0;
	}
	read->records += !err;
	return err;
}

int a2n_space_read_perf_map(struct a2n_space *space, const char *path,
			    uint64_t time, struct a2n_read *out)
{
	struct a2n_read read = { 0 };
	struct feed feed;
	int err;

	if (time == A2N_LATEST)
		return -EINVAL;
	err = feed_open(&feed, path);
	if (err)
		return err;
	while (!err && !feed_is_over(&feed))
		err = read_line(&feed, space, time, &read);
	if (!err)
		err = feed.err;
	feed_close(&feed);
	if (!err && out)
		*out = read;
	return err;
}
