/* SPDX-License-Identifier: MIT */
/* See own_ids.h. */
#include "cli/target/own_ids.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "cli/target/target.h"

int own_ids_differ(pid_t pid)
{
	char *theirs = memory_printf("/proc/%d/ns/pid", pid);
	struct stat one, other;
	const int is_same = stat(theirs, &one) != 0 ||
			    stat("/proc/self/ns/pid", &other) != 0 ||
			    one.st_ino == other.st_ino;

	free(theirs);
	return !is_same;
}

/*
 * The line in the status file is "NSpid:", the thread's id in clew's namespace,
 * and ids in further namespaces up to the thread's own.
 */
pid_t own_ids_of(pid_t pid, pid_t tid)
{
	char *path = memory_printf("/proc/%d/task/%d/status", pid, tid);
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	pid_t own = tid;

	free(path);
	while (file && getline(&line, &room, file) >= 0)
		if (strncmp(line, "NSpid:", 6) == 0) {
			own = atoi(strrchr(line, '\t') + 1);
			break;
		}
	free(line);
	if (file)
		fclose(file);
	return own > 0 ? own : tid;
}

int own_ids_are_seen(pid_t pid)
{
	const uint64_t start = target_start(pid);

	return start && start == target_start_within(pid, own_ids_of(pid, pid));
}
