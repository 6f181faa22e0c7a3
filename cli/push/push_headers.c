/* SPDX-License-Identifier: MIT */
/* See push_headers.h. */
#include "cli/push/push_headers.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/memory.h"

enum { LINES_MAX = 64, LINE_BYTES_MAX = 16 << 10, FILE_BYTES_MAX = 256 << 10 };

/* Names, or parts of names, of headers with credentials. */
static const char *const secret_names[] = {
	"authorization", "cookie",  "token",  "secret",
	"password",      "api-key", "apikey",
};

/* Headers that describe the body, which clew sets. */
static const char *const own_names[] = {
	"content-type",      "content-encoding", "content-length",
	"transfer-encoding", "expect",
};

/*
 * Returns the length of the header's name, or 0 if the line is no header, has
 * no value, or has control characters other than tabs.
 */
static size_t name_length(const char *line)
{
	size_t length = 0;

	while (isalnum((unsigned char)line[length]) ||
	       (line[length] && strchr("!#$%&'*+-.^_`|~", line[length])))
		length++;
	/* libcurl would take a name without a value as a wish to omit it. */
	if (line[length] != ':' ||
	    line[length + 1 + strspn(line + length + 1, " \t")] == '\0')
		return 0;
	for (const char *at = line + length; *at; at++)
		if (iscntrl((unsigned char)*at) && *at != '\t')
			return 0;
	return length;
}

static int is_own(const char *line, size_t length)
{
	for (size_t i = 0; i < sizeof(own_names) / sizeof(*own_names); i++)
		if (strlen(own_names[i]) == length &&
		    strncasecmp(own_names[i], line, length) == 0)
			return 1;
	return 0;
}

static int is_secret(const char *line, size_t length)
{
	char *name = memory_string(line, length);
	int is = 0;

	for (size_t i = 0; i < sizeof(secret_names) / sizeof(*secret_names);
	     i++)
		is |= strcasestr(name, secret_names[i]) != NULL;
	free(name);
	return is;
}

/* Adds a line. `what` names it in messages. */
static int add(struct push_headers *headers, const char *line, const char *what,
	       char **why)
{
	const size_t length = name_length(line);

	if (length == 0)
		return fail(why, -EINVAL,
			    "%s is not a header; write NAME: VALUE", what);
	if (is_own(line, length))
		return fail(why, -EINVAL, "%s: clew sets this header", what);
	if (strlen(line) > LINE_BYTES_MAX || headers->count == LINES_MAX)
		return fail(why, -E2BIG,
			    "%s: at most %d headers of %d KB are possible",
			    what, LINES_MAX, LINE_BYTES_MAX >> 10);
	headers->lines =
		memory_grow(headers->lines, headers->count, &headers->capacity,
			    sizeof(*headers->lines));
	headers->lines[headers->count++] = memory_string(line, strlen(line));
	return 0;
}

int push_headers_add(struct push_headers *headers, const char *line, char **why)
{
	const size_t length = name_length(line);
	char *what = memory_printf("--header=%.*s", (int)length, line);
	int err;

	if (length > 0 && is_secret(line, length))
		err = fail(why, -EINVAL,
			   "%s: other users of this host can see arguments; "
			   "put the header into a file and give "
			   "--headers=FILE, or into $" PUSH_HEADERS_VARIABLE,
			   what);
	else
		err = add(headers, line, length ? what : "--header", why);
	free(what);
	return err;
}

/* Adds each line of a text, which is changed. */
static int add_lines(struct push_headers *headers, char *text,
		     const char *source, char **why)
{
	unsigned int number = 0;
	char *rest = text, *line;
	int err = 0;

	while (!err && (line = strsep(&rest, "\n"))) {
		char *what = memory_printf("%s, line %u", source, ++number);
		const size_t length = strlen(line);

		if (length > 0 && line[length - 1] == '\r')
			line[length - 1] = '\0';
		if (*line && *line != '#') {
			err = add(headers, line, what, why);
			headers->secrets += !err;
		}
		free(what);
	}
	return err;
}

static int read_file(struct push_headers *headers, const char *path, char **why)
{
	char *text = memory_zeroed(FILE_BYTES_MAX + 1, 1);
	FILE *file = fopen(path, "re"); /* the file may be a pipe */
	size_t bytes = file ? fread(text, 1, FILE_BYTES_MAX, file) : 0;
	int err = 0;

	if (!file || ferror(file))
		err = fail(why, -errno, "--headers=%s: %s", path,
			   strerror(errno));
	else if (bytes == FILE_BYTES_MAX)
		err = fail(why, -EFBIG, "--headers=%s: larger than %d KB", path,
			   FILE_BYTES_MAX >> 10);
	else if (strlen(text) != bytes)
		err = fail(why, -EINVAL, "--headers=%s: not a text", path);
	else
		err = add_lines(headers, text, path, why);
	if (file)
		fclose(file);
	free(text);
	return err;
}

int push_headers_read(struct push_headers *headers, const char *path,
		      char **why)
{
	const char *variable = getenv(PUSH_HEADERS_VARIABLE);
	int err = path ? read_file(headers, path, why) : 0;
	char *text;

	if (err || !variable)
		return err;
	text = memory_string(variable, strlen(variable));
	err = add_lines(headers, text, "$" PUSH_HEADERS_VARIABLE, why);
	free(text);
	return err;
}

void push_headers_fini(struct push_headers *headers)
{
	for (size_t i = 0; i < headers->count; i++)
		free(headers->lines[i]);
	free(headers->lines);
	*headers = (struct push_headers){ 0 };
}
