/* SPDX-License-Identifier: MIT */
/* See top_recorded.h. */
#include "cli/show/top_recorded.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/idmap.h"
#include "base/memory.h"
#include "cli/target/live_process.h"
#include "report/recording/part_reader.h"

/* ---- Pidfds ---- */

int top_pidfd_of(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

void top_pidfd_close(int pidfd)
{
	if (pidfd >= 0)
		close(pidfd);
}

/* ---- Parts of a recording ---- */

int top_part_is_counting(const char *path)
{
	struct part_copy part;
	char *why;
	int is;

	if (part_open(&part, path, &why) != 0) {
		free(why);
		return 0;
	}
	is = part.header->state >= WIRE_RUNNING;
	part_close(&part);
	return is;
}

void top_each_part(const char *folder,
		   int (*found)(void *context, const char *path, pid_t pid),
		   void *context)
{
	DIR *directory = opendir(folder);
	struct dirent *entry;
	int is_done = 0;

	while (directory && !is_done && (entry = readdir(directory))) {
		const size_t length = strlen(entry->d_name);
		const long pid = strtol(entry->d_name, NULL, 10);
		char *path;

		if (pid <= 0 || length < strlen(WIRE_PART_SUFFIX) ||
		    strcmp(entry->d_name + length - strlen(WIRE_PART_SUFFIX),
			   WIRE_PART_SUFFIX) != 0)
			continue;
		path = memory_printf("%s/%s", folder, entry->d_name);
		is_done = found(context, path, (pid_t)pid);
		free(path);
	}
	if (directory)
		closedir(directory);
}

/* ---- Adding ---- */

static void add_process(struct top_recorded *recorded, pid_t pid, int pidfd,
			char *command)
{
	recorded->items =
		memory_grow(recorded->items, recorded->count,
			    &recorded->capacity, sizeof(*recorded->items));
	recorded->items[recorded->count++] =
		(struct top_recorded_process){ pid, pidfd, command };
}

int top_recorded_add(struct top_recorded *recorded, pid_t pid, char **why)
{
	struct live_process process;
	/* If this process exits, its pid cannot lead to a later recording. */
	const int pidfd = top_pidfd_of(pid);
	int err = live_process_init(&process, pid, why);

	if (err) {
		top_pidfd_close(pidfd);
		return err;
	}
	add_process(recorded, pid, pidfd, process.command);
	process.command = NULL;
	strings_number(&recorded->parts, process.part);
	strings_number(&recorded->recordings, process.recording);
	live_process_fini(&process);
	return 0;
}

/* ---- Updating ---- */

struct update {
	struct top_recorded *recorded;
	struct idmap chosen; /* maps a chosen pid to 1 */
};

static int has_process(const struct top_recorded *recorded, pid_t pid)
{
	for (size_t i = 0; i < recorded->count; i++)
		if (recorded->items[i].pid == pid)
			return 1;
	return 0;
}

/* Adds a part of a chosen process. Returns 0: the search continues. */
static int add_part(void *context, const char *path, pid_t pid)
{
	struct update *update = context;
	struct top_recorded *recorded = update->recorded;

	if (!idmap_find(&update->chosen, (uint64_t)pid) ||
	    strings_has(&recorded->parts, path) || !top_part_is_counting(path))
		return 0;
	strings_number(&recorded->parts, path);
	if (!has_process(recorded, pid))
		add_process(recorded, pid, top_pidfd_of(pid), NULL);
	return 0;
}

void top_recorded_update(struct top_recorded *recorded,
			 const struct target_choice *choice)
{
	struct update update = { .recorded = recorded };
	struct chosen chosen;
	char *why;

	if (target_choice_find(choice, &chosen, &why) != 0) {
		free(why); /* For example, all processes have exited. */
		return;
	}
	for (size_t i = 0; i < chosen.count; i++)
		*idmap_at(&update.chosen, (uint64_t)chosen.items[i].pid) = 1;
	for (size_t i = 0; i < recorded->recordings.count; i++)
		top_each_part(recorded->recordings.items[i], add_part, &update);
	idmap_fini(&update.chosen);
	free(chosen.items);
}

/* ---- The end ---- */

static int is_alive(const struct top_recorded_process *process)
{
	struct pollfd end = { .fd = process->pidfd, .events = POLLIN };

	if (process->pidfd >= 0)
		return poll(&end, 1, 0) <= 0;
	return kill(process->pid, 0) == 0 || errno == EPERM;
}

int top_recorded_is_alive(const struct top_recorded *recorded)
{
	for (size_t i = 0; i < recorded->count; i++)
		if (is_alive(&recorded->items[i]))
			return 1;
	return 0;
}

void top_recorded_fini(struct top_recorded *recorded)
{
	for (size_t i = 0; i < recorded->count; i++) {
		top_pidfd_close(recorded->items[i].pidfd);
		free(recorded->items[i].command);
	}
	free(recorded->items);
	strings_fini(&recorded->parts);
	strings_fini(&recorded->recordings);
	*recorded = (struct top_recorded){ 0 };
}
