/* SPDX-License-Identifier: MIT */
/*
 * What a process has mapped: /proc/PID/maps.
 *
 * A path there is as the process sees it. If it is not the same file for us
 * (another mount namespace, a file that was replaced), it is reached through
 * /proc/PID/root, or, if it is gone, through /proc/PID/map_files.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "symbolizer/a2n.h"

struct line {
	uint64_t start, end, offset, inode;
	unsigned int major, minor;
	char permissions[5];
	const char *path; /* "" for none */
};

static int parse(char *text, struct line *line)
{
	int at = 0;

	text[strcspn(text, "\n")] = '\0';
	if (sscanf(text,
		   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64
		   " %n",
		   &line->start, &line->end, line->permissions, &line->offset,
		   &line->major, &line->minor, &line->inode, &at) < 7)
		return 0;
	line->path = text + at;
	return 1;
}

/* Overlay file systems show another device, so the inode has to do. */
static int is_same_file(const char *path, const struct line *line)
{
	struct stat status;

	return stat(path, &status) == 0 && status.st_ino == line->inode;
}

static char *reachable_path(int pid, const struct line *line)
{
	char *path;

	if (is_same_file(line->path, line))
		return strdup(line->path);
	if (asprintf(&path, "/proc/%d/root%s", pid, line->path) < 0)
		return NULL;
	if (is_same_file(path, line))
		return path;
	free(path);
	if (asprintf(&path, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid,
		     line->start, line->end) < 0)
		return NULL;
	return path;
}

static int add(struct a2n_space *space, int pid, uint64_t time,
	       const struct line *line)
{
	struct a2n_mapping mapping = {
		.start = line->start,
		.bytes = line->end - line->start,
		.file_offset = line->offset,
	};
	char *path;
	int err;

	if (line->path[0] != '/' || line->permissions[2] != 'x' ||
	    line->end <= line->start)
		return 0;
	path = reachable_path(pid, line);
	if (!path)
		return -ENOMEM;
	mapping.path = path;
	err = a2n_space_map(space, &mapping, time);
	free(path);
	return err;
}

int a2n_space_map_process(struct a2n_space *space, int pid, uint64_t time)
{
	char name[32];
	char *text = NULL;
	size_t room = 0;
	struct line line;
	FILE *file;
	int err = 0;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	file = fopen(name, "re");
	if (!file)
		return -errno;
	while (!err && getline(&text, &room, file) > 0) {
		if (parse(text, &line))
			err = add(space, pid, time, &line);
	}
	free(text);
	fclose(file);
	return err;
}
