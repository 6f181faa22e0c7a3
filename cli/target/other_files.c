/* SPDX-License-Identifier: MIT */
/* See other_files.h. */
#include "cli/target/other_files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/memory.h"

/*
 * Returns whether /proc/PID/`name`, for example a namespace, is the same object
 * for the process and for clew. Returns 1 also if it cannot be read.
 */
static int has_same(pid_t pid, const char *name)
{
	char *theirs = memory_printf("/proc/%d/%s", pid, name);
	char *ours = memory_printf("/proc/self/%s", name);
	struct stat one, other;
	const int is_same =
		stat(theirs, &one) != 0 || stat(ours, &other) != 0 ||
		(one.st_dev == other.st_dev && one.st_ino == other.st_ino);

	free(theirs);
	free(ours);
	return is_same;
}

int other_files_are_there(pid_t pid)
{
	return !has_same(pid, "ns/mnt") || !has_same(pid, "root");
}

char *other_files_path(pid_t pid, const char *path)
{
	return memory_printf("/proc/%d/root%s", pid, path);
}

char *other_files_mapped(pid_t pid, const char *path)
{
	char *link = memory_printf("/proc/%d/root", pid);
	char root[PATH_MAX];
	ssize_t length = readlink(link, root, sizeof(root));

	free(link);
	if (length > 1 && length < (ssize_t)sizeof(root) &&
	    strncmp(path, root, (size_t)length) == 0 && path[length] == '/')
		return other_files_path(pid, path + length);
	return has_same(pid, "ns/mnt") ? memory_printf("%s", path)
				       : other_files_path(pid, path);
}

int other_files_have(pid_t pid, const char *path)
{
	char *there = other_files_path(pid, path);
	struct stat one, other;
	const int is_same = stat(path, &one) == 0 && stat(there, &other) == 0 &&
			    one.st_dev == other.st_dev &&
			    one.st_ino == other.st_ino;

	free(there);
	return is_same;
}

int other_files_are_mounted(pid_t pid, const char *path, unsigned long flag)
{
	char *there = other_files_path(pid, path);
	struct statvfs where;
	const int are = statvfs(there, &where) == 0 && where.f_flag & flag;

	free(there);
	return are;
}
