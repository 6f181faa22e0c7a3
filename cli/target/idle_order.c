/* SPDX-License-Identifier: MIT */
/* See idle_order.h. */
#include "cli/target/idle_order.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct thread_use {
	pid_t tid;
	int is_first, is_asleep;
	uint64_t ticks; /* CPU time. */
};

/*
 * Reads a thread's state and CPU time. The name in the stat file may contain
 * brackets, but the fields behind it do not, so the last bracket ends the name.
 */
static void read_use(pid_t pid, struct thread_use *use)
{
	char *path = memory_printf("/proc/%d/task/%d/stat", pid, use->tid);
	FILE *file = fopen(path, "re");
	char text[1024] = "";
	uint64_t user = 0, system = 0;
	char state = 0, *end = NULL;

	free(path);
	if (!file)
		return;
	if (fgets(text, sizeof(text), file))
		end = strrchr(text, ')');
	fclose(file);
	if (!end || sscanf(end + 1,
			   " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			   "%" SCNu64 " %" SCNu64,
			   &state, &user, &system) != 3)
		return;
	use->is_asleep = state == 'S';
	use->ticks = user + system;
}

static int by_use(const void *a, const void *b)
{
	const struct thread_use *one = a, *other = b;

	if (one->is_asleep != other->is_asleep)
		return other->is_asleep - one->is_asleep;
	if (one->is_first != other->is_first)
		return one->is_asleep ? one->is_first - other->is_first
				      : other->is_first - one->is_first;
	if (one->ticks != other->ticks)
		return one->ticks < other->ticks ? -1 : 1;
	return one->tid < other->tid ? -1 : one->tid > other->tid;
}

void idle_order(pid_t pid, pid_t *tids, size_t count)
{
	struct thread_use *uses = memory_zeroed(count + 1, sizeof(*uses));

	for (size_t i = 0; i < count; i++) {
		uses[i].tid = tids[i];
		uses[i].is_first = tids[i] == pid;
		if (count > 1)
			read_use(pid, &uses[i]);
	}
	qsort(uses, count, sizeof(*uses), by_use);
	for (size_t i = 0; i < count; i++)
		tids[i] = uses[i].tid;
	free(uses);
}
