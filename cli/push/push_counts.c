/* SPDX-License-Identifier: MIT */
/* See push_counts.h. */
#include "cli/push/push_counts.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/live_read.h"
#include "base/memory.h"
#include "base/regular_file.h"

#define NAME "clew-pushes"

/* Maximum number of descriptors of a process that are searched. */
enum { SEARCHED_MAX = 4096 };

struct push_counts *push_counts_create(void)
{
	const int fd = memfd_create(NAME, MFD_CLOEXEC);
	struct push_counts *counts;

	if (fd < 0)
		return NULL;
	counts = ftruncate(fd, sizeof(*counts)) == 0
			 ? mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
				MAP_SHARED, fd, 0)
			 : MAP_FAILED;
	if (counts == MAP_FAILED) {
		close(fd);
		return NULL;
	}
	memcpy(counts->magic, PUSH_COUNTS_MAGIC, sizeof(counts->magic));
	return counts;
}

/* Returns whether a descriptor is a file in memory with our name. */
static int is_counts(int folder, const char *name)
{
	static const char wanted[] = "/memfd:" NAME " (deleted)";
	char target[sizeof(wanted)];
	const ssize_t length = readlinkat(folder, name, target, sizeof(target));

	return length == sizeof(wanted) - 1 &&
	       memcmp(target, wanted, sizeof(wanted) - 1) == 0;
}

static int read_counts(int folder, const char *name, struct push_counts *counts)
{
	struct push_counts read_now;
	const int fd = regular_file_open_at(folder, name, 0);
	ssize_t bytes;

	if (fd < 0)
		return -ENOENT;
	bytes = live_read(fd, &read_now, sizeof(read_now), 0);
	close(fd);
	if (bytes != sizeof(read_now) ||
	    memcmp(read_now.magic, PUSH_COUNTS_MAGIC, sizeof(read_now.magic)) !=
		    0)
		return -ENOENT;
	*counts = read_now;
	return 0;
}

int push_counts_read(pid_t pid, struct push_counts *counts)
{
	char *path = memory_printf("/proc/%d/fd", pid);
	DIR *folder = opendir(path);
	const struct dirent *entry;
	int err = -ENOENT;

	free(path);
	for (int i = 0;
	     folder && err && i < SEARCHED_MAX && (entry = readdir(folder));
	     i++)
		if (is_counts(dirfd(folder), entry->d_name))
			err = read_counts(dirfd(folder), entry->d_name, counts);
	if (folder)
		closedir(folder);
	return err;
}
