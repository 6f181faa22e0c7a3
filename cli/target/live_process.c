/* SPDX-License-Identifier: MIT */
/* See live_process.h. */
#include "cli/target/live_process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/regular_file.h"
#include "base/suffix.h"
#include "cli/common/library.h"
#include "cli/target/attachment_copy.h"
#include "cli/target/target.h"
#include "report/recording/part_reader.h"
#include "wire/attachment.h"

/* ---- Finding the part ---- */

/*
 * Returns a path by which clew can open a mapped file: the path itself, or the
 * path below the process's root; NULL if neither leads to the file. The caller
 * frees it.
 */
static char *visible_path(pid_t pid, const struct target_mapping *mapping)
{
	const char *prefixes[] = { "", "/root" };
	char *folder = memory_printf("/proc/%d", pid);
	char *found = NULL;

	for (int i = 0; i < 2 && !found; i++) {
		char *path = memory_printf("%s%s%s", i ? folder : "",
					   prefixes[i], mapping->path);
		struct stat status;

		if (stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
		    status.st_ino == mapping->inode)
			found = path;
		else
			free(path);
	}
	free(folder);
	return found;
}

/*
 * Returns whether a file is a part whose process is still counting, according
 * to the header.
 */
static int is_running(const char *path)
{
	struct wire_header header;
	int fd = regular_file_open(path, O_RDONLY | O_NOFOLLOW);
	int is = fd >= 0 &&
		 pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
		 memcmp(header.magic, WIRE_MAGIC, sizeof(header.magic)) == 0 &&
		 header.state == WIRE_RUNNING;

	if (fd >= 0)
		close(fd);
	return is;
}

/*
 * Finds the part in which the process counts: the last mapped part whose file
 * exists, because parts of earlier sessions may still be mapped before it.
 * may_have_ended: also accepts a part that is not written to any more. Returns
 * 0; -ESTALE if no such part exists but a mapped part was deleted; otherwise
 * -ENOENT.
 */
static int find_part(struct live_process *process,
		     const struct target_maps *maps, int may_have_ended)
{
	int err = -ENOENT;

	for (size_t i = maps->count; i-- > 0 && err;) {
		const struct target_mapping *mapping = &maps->items[i];
		char *path;

		if (*mapping->path != '/' || mapping->offset ||
		    !suffix_stem(mapping->path, WIRE_PART_SUFFIX))
			continue;
		if (mapping->is_deleted) {
			err = -ESTALE;
			continue;
		}
		path = visible_path(process->pid, mapping);
		if (path && (may_have_ended || is_running(path))) {
			process->part = path;
			return 0;
		}
		free(path);
	}
	return err;
}

/* ---- Whether a process is recorded, and its command ---- */

/* Copies the process's clew_attachment. Returns whether this was possible. */
static int read_attachment(pid_t pid, const struct target_maps *maps,
			   struct wire_attachment *attachment)
{
	const struct target_mapping *library =
		target_module(maps, LIBRARY_NAME);
	const uint64_t at =
		library ? target_symbol(pid, library, WIRE_ATTACHMENT) : 0;
	char *path = memory_printf("/proc/%d/mem", pid);
	int memory = at ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	char *why = NULL;
	int is_read = memory >= 0 &&
		      attachment_copy(memory, at, attachment, &why) == 0;

	free(why);
	free(path);
	if (memory >= 0)
		close(memory);
	return is_read;
}

/*
 * Returns whether the process is being recorded, and sets the members about
 * attaching. A process whose memory cannot be read is regarded as recorded from
 * its start.
 */
static int is_recorded(struct live_process *process,
		       const struct target_maps *maps)
{
	struct wire_attachment attachment;
	char *path;

	if (!read_attachment(process->pid, maps, &attachment) ||
	    attachment.state == WIRE_ATTACH_PRELOADED)
		return 1;
	if (attachment.state == WIRE_ATTACH_NONE ||
	    attachment.state == WIRE_ATTACH_PREPARING ||
	    attachment.state == WIRE_ATTACH_PREPARED)
		return 0;
	process->is_attached = 1;
	process->attached_by = (pid_t)attachment.controller;
	path = memory_printf("/proc/%u", attachment.controller);
	if (access(path, F_OK) == 0)
		process->controller = process->attached_by;
	free(path);
	return 1;
}

char *live_process_command(pid_t pid)
{
	char *path = memory_printf("/proc/%d/cmdline", pid);
	FILE *file = fopen(path, "re");
	char text[4096] = "";
	size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	free(path);
	if (file)
		fclose(file);
	while (length && !text[length - 1])
		length--;
	for (size_t i = 0; i < length; i++)
		if (!text[i])
			text[i] = ' ';
	return memory_printf("%s", text_printable(text));
}

/* ---- Public functions ---- */

static char *folder_of(const char *path)
{
	return memory_string(path, (size_t)(strrchr(path, '/') - path));
}

static int explain(int err, char **why)
{
	if (err == -ESRCH)
		return fail(why, err, "there is no such process");
	if (err == -ESTALE)
		return fail(why, err, "its recording has been removed");
	return fail(why, err, "it is not being recorded");
}

int live_process_init(struct live_process *process, pid_t pid, char **why)
{
	struct target_maps maps;
	char *what;
	int err;

	*process = (struct live_process){ .pid = pid };
	if (kill(pid, 0) != 0 && errno == ESRCH)
		return explain(-ESRCH, why);
	err = target_read_maps(pid, &maps, &what);
	if (err) {
		fail(why, err, "it cannot be seen whether it is recorded: %s",
		     what);
		free(what);
		return err;
	}
	err = find_part(process, &maps, 0);
	/*
	 * After clew has detached, the part may stay mapped, even if its file
	 * was removed, so a mapped part alone proves nothing.
	 */
	if (!is_recorded(process, &maps))
		err = -ENOENT;
	else if (err == -ENOENT && process->is_attached)
		/*
		 * The library has ended the part, but clew has not detached
		 * completely.
		 */
		err = find_part(process, &maps, 1);
	target_free_maps(&maps);
	if (err) {
		free(process->part);
		return explain(err, why);
	}
	process->recording = folder_of(process->part);
	process->command = live_process_command(pid);
	return 0;
}

void live_process_fini(struct live_process *process)
{
	free(process->command);
	free(process->recording);
	free(process->part);
}

static int by_pid(const void *left, const void *right)
{
	const struct live_process *a = left, *b = right;

	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

struct live_process *live_processes(size_t *count)
{
	struct live_process *found = NULL;
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	size_t capacity = 0;

	*count = 0;
	while (folder && (entry = readdir(folder))) {
		const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		char *why;

		if (pid <= 0)
			continue;
		found = memory_grow(found, *count, &capacity, sizeof(*found));
		if (live_process_init(&found[*count], pid, &why) == 0)
			++*count;
		else
			free(why);
	}
	if (folder)
		closedir(folder);
	if (*count)
		qsort(found, *count, sizeof(*found), by_pid);
	return found;
}
