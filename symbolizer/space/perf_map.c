/* SPDX-License-Identifier: MIT */
/*
 * Perf maps: /tmp/perf-PID.map, one line for each piece of generated code,
 *
 *	START SIZE NAME
 *
 * in hexadecimal. JDK 17 and Erlang write "0x" before it, names have spaces,
 * node writes what it wrote before again and lets ranges overlap, and a program
 * that was killed leaves half a line. What cannot be a line is skipped and
 * counted. There are no times: the last that was written is right.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolizer/a2n.h"

/* A hexadecimal number and the blanks behind it. 0 where there is none. */
static int take_number(char **at, uint64_t *out)
{
	char *end;

	if (!isxdigit((unsigned char)**at))
		return 0;
	errno = 0;
	*out = strtoull(*at, &end, 16);
	if (errno || (*end != ' ' && *end != '\t'))
		return 0;
	while (*end == ' ' || *end == '\t')
		end++;
	*at = end;
	return 1;
}

static int parse(char *line, struct a2n_code *out)
{
	if (!take_number(&line, &out->start) ||
	    !take_number(&line, &out->bytes) || *line == '\0' ||
	    out->bytes == 0 || out->bytes > UINT64_MAX - out->start)
		return 0;
	out->name = line;
	return 1;
}

static FILE *open_regular(const char *path, int *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	FILE *file;

	if (fd < 0) {
		*err = -errno;
		return NULL;
	}
	*err = -EINVAL;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    (file = fdopen(fd, "r")))
		return file;
	close(fd);
	return NULL;
}

int a2n_space_read_perf_map(struct a2n_space *space, const char *path,
			    uint64_t time, struct a2n_read *out)
{
	struct a2n_read counts = { 0 };
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	int err = 0;
	FILE *file = open_regular(path, &err);

	if (!file)
		return err;
	err = 0;
	while (!err && (length = getline(&line, &room, file)) > 0) {
		struct a2n_code code;

		if (line[length - 1] == '\n')
			line[--length] = '\0';
		if (parse(line, &code)) {
			err = a2n_space_add(space, &code, time, NULL);
			counts.records++;
		} else {
			counts.malformed++;
		}
	}
	free(line);
	fclose(file);
	if (!err && out)
		*out = counts;
	return err;
}
