/* SPDX-License-Identifier: MIT */
/* See target_choice.h. */
#include "cli/target/target_choice.h"

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/common/option_values.h"
#include "cli/target/executable.h"
#include "cli/target/target.h"

#define CGROUPS "/sys/fs/cgroup"

/* ---- Options ---- */

static void add_item(struct target_choice *choice, int key, const char *text,
		     pid_t pid)
{
	choice->items = memory_grow(choice->items, choice->count,
				    &choice->capacity, sizeof(*choice->items));
	choice->items[choice->count++] =
		(struct target_choice_item){ key, text, pid };
}

error_t target_choice_parse(struct target_choice *choice, int key,
			    const char *argument, struct argp_state *state)
{
	switch (key) {
	case ARGP_KEY_ARG:
		add_item(choice, 0, NULL, parse_pid(state, argument));
		return 0;
	case KEY_EXE:
	case KEY_PIDFILE:
	case KEY_CGROUP:
		add_item(choice, key, argument, 0);
		return 0;
	case KEY_CHILDREN:
		choice->has_children = 1;
		return 0;
	case ARGP_KEY_END:
		if (!choice->count)
			argp_error(state, "no process is given; give a PID, "
					  "--exe, --pidfile or "
					  "--cgroup");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void target_choice_fini(struct target_choice *choice)
{
	free(choice->items);
}

int target_choice_is_open(const struct target_choice *choice)
{
	for (size_t i = 0; i < choice->count; i++)
		if (choice->items[i].key == KEY_EXE ||
		    choice->items[i].key == KEY_CGROUP)
			return 1;
	return choice->has_children;
}

/* ---- Adding a process ---- */

static pid_t parent_of(pid_t pid)
{
	return (pid_t)target_status(pid, "PPid", 10);
}

static int has(const struct chosen *chosen, pid_t pid)
{
	for (size_t i = 0; i < chosen->count; i++)
		if (chosen->items[i].pid == pid)
			return 1;
	return 0;
}

static void add(struct chosen *chosen, pid_t pid, int is_named)
{
	if (has(chosen, pid))
		return;
	if (!is_named && (pid == getpid() || target_thread_is_going(pid, pid)))
		return;
	chosen->items = memory_grow(chosen->items, chosen->count,
				    &chosen->capacity, sizeof(*chosen->items));
	chosen->items[chosen->count++] =
		(struct chosen_process){ pid, parent_of(pid), is_named };
}

static int add_of_file(struct chosen *chosen, const char *path, char **why)
{
	FILE *file = fopen(path, "re");
	long pid = 0;
	int err = file ? 0 : -errno;

	if (err)
		return fail(why, err, "%s: %s", path, strerror(-err));
	if (fscanf(file, "%ld", &pid) != 1 || pid <= 0 || pid > INT32_MAX)
		err = fail(why, -EINVAL, "%s does not contain a process id",
			   path);
	else
		add(chosen, (pid_t)pid, 1);
	fclose(file);
	return err;
}

/* ---- Listing all processes ---- */

struct every_process {
	struct process_entry {
		pid_t pid, parent;
	} * items;
	size_t count, capacity;
};

static struct every_process list_processes(void)
{
	struct every_process every = { 0 };
	DIR *folder = opendir("/proc");
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid <= 0)
			continue;
		every.items =
			memory_grow(every.items, every.count, &every.capacity,
				    sizeof(*every.items));
		every.items[every.count++] =
			(struct process_entry){ pid, parent_of(pid) };
	}
	if (folder)
		closedir(folder);
	return every;
}

/* ---- Adding the processes of a program ---- */

/*
 * Returns the path of the process's program or, if clew may not read it, the
 * name of the first thread; "" if both are unknown. The caller frees it.
 */
static char *program_of(pid_t pid)
{
	static const char deleted[] = " (deleted)";
	const size_t mark = sizeof(deleted) - 1;
	char *path = memory_printf("/proc/%d/exe", pid);
	char text[4096] = "";
	ssize_t length = readlink(path, text, sizeof(text) - 1);
	FILE *file;

	free(path);
	if (length > (ssize_t)mark &&
	    strcmp(text + length - (ssize_t)mark, deleted) == 0)
		text[length - (ssize_t)mark] = '\0';
	if (length > 0 || errno != EACCES)
		return memory_printf("%s", text);
	path = memory_printf("/proc/%d/comm", pid);
	file = fopen(path, "re");
	free(path);
	if (file && fgets(text, sizeof(text), file))
		text[strcspn(text, "\n")] = '\0';
	if (file)
		fclose(file);
	return memory_printf("%s", text);
}

/*
 * Returns the path of the program without symbolic links; NULL if there is no
 * such file. The caller frees it.
 */
static char *resolve(const char *name)
{
	char *found, *path;

	if (executable_find(name, &found) != 0)
		return realpath(name, NULL);
	path = realpath(found, NULL);
	free(found);
	return path;
}

/*
 * `path` is the program's path if a command with this name is found, which may
 * be a link to a file with another name, such as python3.
 */
static int is_program(const char *program, const char *name, const char *path)
{
	return (path && strcmp(program, path) == 0) ||
	       strcmp(strchr(name, '/') ? program : text_basename(program),
		      name) == 0;
}

static int add_of_program(struct chosen *chosen, const char *name, char **why)
{
	const size_t before = chosen->count;
	struct every_process every = list_processes();
	char *path = resolve(name);

	for (size_t i = 0; i < every.count; i++) {
		char *program = program_of(every.items[i].pid);

		if (is_program(program, name, path))
			add(chosen, every.items[i].pid, 0);
		free(program);
	}
	free(path);
	free(every.items);
	return chosen->count == before
		       ? fail(why, -ESRCH, "no process runs the program %s",
			      name)
		       : 0;
}

/* ---- Adding the processes of a cgroup ---- */

static int add_of_folder(struct chosen *chosen, const char *path)
{
	char *name = memory_printf("%s/cgroup.procs", path);
	FILE *file = fopen(name, "re");
	DIR *folder;
	struct dirent *entry;
	long pid;

	free(name);
	if (!file)
		return -errno;
	while (fscanf(file, "%ld", &pid) == 1)
		/*
		 * The kernel shows 0 for processes that are not visible in
		 * clew's pid namespace.
		 */
		if (pid > 0)
			add(chosen, (pid_t)pid, 0);
	fclose(file);
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		if (entry->d_type != DT_DIR || *entry->d_name == '.')
			continue;
		name = memory_printf("%s/%s", path, entry->d_name);
		add_of_folder(chosen, name);
		free(name);
	}
	if (folder)
		closedir(folder);
	return 0;
}

static int add_below(struct chosen *chosen, const char *folder,
		     const char *path)
{
	char *whole = memory_printf("%s/%s", folder, path);
	const int err = add_of_folder(chosen, whole);

	free(whole);
	return err;
}

static int is_hierarchy_of_v1(const char *folder)
{
	struct statfs status;

	return statfs(folder, &status) == 0 &&
	       (uint64_t)status.f_type == CGROUP_SUPER_MAGIC;
}

/*
 * Adds the processes of a cgroup of version 1 with this path, from all
 * hierarchies that have it. Returns 0 or -errno.
 */
static int add_of_hierarchies(struct chosen *chosen, const char *path)
{
	DIR *folder = opendir(CGROUPS);
	struct dirent *entry;
	int found = -ENOENT;

	while (folder && (entry = readdir(folder))) {
		char *hierarchy;
		int err = -ENOENT;

		if (*entry->d_name == '.')
			continue;
		hierarchy = memory_printf(CGROUPS "/%s", entry->d_name);
		if (is_hierarchy_of_v1(hierarchy))
			err = add_below(chosen, hierarchy, path);
		if (found && err != -ENOENT)
			found = err;
		free(hierarchy);
	}
	if (folder)
		closedir(folder);
	return found;
}

/*
 * Adds the processes of a cgroup. `path` is the folder's path, or the group's
 * path as in /proc/PID/cgroup. Returns 0, or -errno and *why.
 */
static int add_of_cgroup(struct chosen *chosen, const char *path, char **why)
{
	const size_t before = chosen->count;
	int err = add_of_folder(chosen, path);

	if (err == -ENOENT)
		err = add_below(chosen, CGROUPS, path);
	if (err == -ENOENT)
		err = add_below(chosen, CGROUPS "/unified", path);
	if (err == -ENOENT)
		err = add_of_hierarchies(chosen, path);
	if (err)
		return fail(why, err, "%s is not a cgroup: %s", path,
			    strerror(-err));
	return chosen->count == before
		       ? fail(why, -ESRCH, "no process is in cgroup %s", path)
		       : 0;
}

/* ---- Descendants, and the order of processes ---- */

static void add_children(struct chosen *chosen)
{
	struct every_process every = list_processes();
	size_t before;

	do {
		before = chosen->count;
		for (size_t i = 0; i < every.count; i++)
			if (has(chosen, every.items[i].parent))
				add(chosen, every.items[i].pid, 0);
	} while (chosen->count != before);
	free(every.items);
}

/*
 * Returns the index of the first process, among those from index `from` on,
 * whose parent is not among them; `from` if each has its parent among them.
 */
static size_t find_eldest(const struct chosen *chosen, size_t from)
{
	for (size_t i = from; i < chosen->count; i++) {
		size_t at = from;

		while (at < chosen->count &&
		       chosen->items[at].pid != chosen->items[i].parent)
			at++;
		if (at == chosen->count)
			return i;
	}
	return from;
}

/*
 * Sorts the processes so that parents precede their children. clew then
 * attaches to parents first, and children that these fork later are recorded
 * from their start.
 */
static void put_parents_first(struct chosen *chosen)
{
	for (size_t i = 0; i < chosen->count; i++) {
		const size_t at = find_eldest(chosen, i);
		const struct chosen_process one = chosen->items[at];

		memmove(&chosen->items[i + 1], &chosen->items[i],
			(at - i) * sizeof(*chosen->items));
		chosen->items[i] = one;
	}
}

int target_choice_find(const struct target_choice *choice,
		       struct chosen *chosen, char **why)
{
	int err = 0;

	*chosen = (struct chosen){ 0 };
	for (size_t i = 0; i < choice->count && !err; i++) {
		const struct target_choice_item *item = &choice->items[i];

		if (item->key == KEY_EXE)
			err = add_of_program(chosen, item->text, why);
		else if (item->key == KEY_PIDFILE)
			err = add_of_file(chosen, item->text, why);
		else if (item->key == KEY_CGROUP)
			err = add_of_cgroup(chosen, item->text, why);
		else
			add(chosen, item->pid, 1);
	}
	if (err) {
		free(chosen->items);
		*chosen = (struct chosen){ 0 };
		return err;
	}
	if (choice->has_children)
		add_children(chosen);
	put_parents_first(chosen);
	return 0;
}
