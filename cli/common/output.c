/* SPDX-License-Identifier: MIT */
/* See output.h. */
#include "cli/common/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/regular_file.h"
#include "cli/common/recording_writer.h"
#include "wire/recording.h"
#include "wire/snapshot_name.h"
#include "wire/taken.h"

static int ends_with(const char *text, const char *suffix)
{
	size_t length = strlen(text), behind = strlen(suffix);

	return length >= behind && strcmp(text + length - behind, suffix) == 0;
}

static int is_ours(const char *name)
{
	return strcmp(name, WIRE_CONFIG_NAME) == 0 ||
	       strcmp(name, WIRE_UNRECORDED_NAME) == 0 ||
	       ends_with(name, WIRE_PART_SUFFIX) ||
	       ends_with(name, WIRE_STUBS_SUFFIX) ||
	       ends_with(name, WIRE_STUBS_SUFFIX WIRE_STUBS_NEW) ||
	       ends_with(name, WIRE_HOOKED_SUFFIX) ||
	       ends_with(name, WIRE_HOOKED_SUFFIX WIRE_STUBS_NEW) ||
	       ends_with(name, WIRE_TRACE_SUFFIX) ||
	       ends_with(name, WIRE_TAKEN_SUFFIX) ||
	       wire_snapshot_number(name) || ends_with(name, WIRE_MAP_SUFFIX) ||
	       ends_with(name, WIRE_JITDUMP_SUFFIX);
}

/*
 * Opens a directory, but not through a symbolic link: another user who may
 * write to the parent folder could create a link to a foreign directory.
 */
static DIR *open_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

/*
 * Returns 1 if the directory contains a recording and nothing else, otherwise
 * 0.
 */
static int holds_recording(DIR *dir)
{
	struct dirent *entry;
	int has_config = 0, has_others = 0;

	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		has_config |= strcmp(entry->d_name, WIRE_CONFIG_NAME) == 0;
		has_others |= !is_ours(entry->d_name);
	}
	rewinddir(dir);
	return has_config && !has_others;
}

static int is_recording(const char *path)
{
	DIR *dir = open_directory(path);
	int result = dir && holds_recording(dir);

	if (dir)
		closedir(dir);
	return result;
}

static int is_empty(DIR *dir)
{
	struct dirent *entry;
	int is = 1;

	while (is && (entry = readdir(dir)))
		is = strcmp(entry->d_name, ".") == 0 ||
		     strcmp(entry->d_name, "..") == 0;
	rewinddir(dir);
	return is;
}

static int is_empty_directory(const char *path)
{
	DIR *dir = open_directory(path);
	const int is = dir && is_empty(dir);

	if (dir)
		closedir(dir);
	return is;
}

static int remove_entry(const char *path, DIR *dir, const char *name)
{
	char *inner;
	int err;

	if (!wire_snapshot_number(name)) /* else it is a folder */
		return unlinkat(dirfd(dir), name, 0) == 0 ? 0 : -errno;
	inner = memory_printf("%s/%s", path, name);
	err = output_remove(inner);
	free(inner);
	return err;
}

/*
 * Removes the configuration last: until then, the directory is still a
 * recording.
 */
static int remove_entries(const char *path, DIR *dir)
{
	struct dirent *entry;
	int err = 0;

	while (!err && (entry = readdir(dir)))
		if (is_ours(entry->d_name) &&
		    strcmp(entry->d_name, WIRE_CONFIG_NAME) != 0)
			err = remove_entry(path, dir, entry->d_name);
	return err ? err : remove_entry(path, dir, WIRE_CONFIG_NAME);
}

/*
 * Removes a recording. If the command is killed before rmdir(), an empty
 * directory remains.
 */
int output_remove(const char *path)
{
	DIR *dir = open_directory(path);
	int err = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -EEXIST;
	if (holds_recording(dir))
		err = remove_entries(path, dir);
	else if (!is_empty(dir))
		err = -EEXIST;
	closedir(dir);
	if (err)
		return err;
	return rmdir(path) == 0 ? 0 : -errno;
}

/* ---- The earlier recording, and creating the new one ---- */

/*
 * Appends a suffix to PATH, also if it is "PATH/". The caller frees the result.
 */
static char *sibling(const char *path, const char *suffix)
{
	int length = (int)strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	return memory_printf("%.*s%s", length, path, suffix);
}

/*
 * Returns whether the file has notes of processes. All other lines are
 * comments.
 */
static int has_notes(DIR *dir)
{
	const int fd = regular_file_open_at(dirfd(dir), WIRE_UNRECORDED_NAME,
					    O_RDONLY | O_NOFOLLOW);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char line[256];
	int has = 0, is_at_start = 1;

	if (!file && fd >= 0)
		close(fd);
	while (file && !has && fgets(line, sizeof(line), file)) {
		has = is_at_start && *line >= '0' && *line <= '9';
		is_at_start = strchr(line, '\n') != NULL;
	}
	if (file)
		fclose(file);
	return has;
}

static int has_content(const char *path)
{
	DIR *dir = open_directory(path);
	struct dirent *entry;
	int has = 0;

	while (dir && !has && (entry = readdir(dir)))
		has = strcmp(entry->d_name, ".") != 0 &&
		      strcmp(entry->d_name, "..") != 0 &&
		      strcmp(entry->d_name, WIRE_CONFIG_NAME) != 0 &&
		      strcmp(entry->d_name, WIRE_UNRECORDED_NAME) != 0;
	has = has || (dir && has_notes(dir));
	if (dir)
		closedir(dir);
	return has;
}

static int refuse(const char *path, char **why)
{
	return fail(
		why, -EEXIST,
		"%s exists and is not a recording; choose another path with -o",
		path);
}

/* Renames PATH.before to PATH.old, or removes it if it has no content. */
static int keep(const char *before, const char *old, char **why)
{
	int err;

	if (rmdir(before) == 0)
		return 0;
	if (!has_content(before)) {
		err = output_remove(before);
		return err ? fail(why, err, "%s cannot be removed: %s", before,
				  strerror(-err))
			   : 0;
	}
	err = output_remove(old);
	if (err == -EEXIST)
		return refuse(old, why);
	if (err)
		return fail(why, err, "%s cannot be removed: %s", old,
			    strerror(-err));
	return rename(before, old) == 0
		       ? 0
		       : fail(why, -errno, "%s cannot be renamed to %s: %s",
			      before, old, strerror(errno));
}

/*
 * Restores PATH.before. If the failed recording cannot be removed, it remains
 * as PATH.before.
 */
static int put_back(const char *path, const char *before)
{
	if (output_remove(path) != 0)
		rmdir(path);
	if (renameat2(AT_FDCWD, before, AT_FDCWD, path, RENAME_NOREPLACE) ==
		    0 ||
	    renameat2(AT_FDCWD, before, AT_FDCWD, path, RENAME_EXCHANGE) == 0)
		return 0;
	return -errno;
}

/*
 * Locks a directory, so that no other command records there until the
 * descriptor is closed. Returns the descriptor or -errno.
 */
static int lock_directory(const char *path)
{
	const int fd =
		open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int err = fd < 0 ? -errno : 0;

	if (!err && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		err = errno == EWOULDBLOCK ? -EBUSY : -errno;
		close(fd);
	}
	return err ? err : fd;
}

/*
 * If PATH.before exists, a killed command left it. Makes it PATH.old (see
 * keep()) if PATH has content, otherwise PATH. Returns 0, or -errno and *why.
 */
static int settle(const char *path, const char *before, const char *old,
		  char **why)
{
	struct stat status;
	int err;

	if (lstat(before, &status) != 0)
		return 0;
	if (!is_recording(before) && rmdir(before) != 0)
		return refuse(before, why);
	if (has_content(path))
		return keep(before, old, why);
	err = put_back(path, before);
	return err ? fail(why, err, "%s cannot be renamed to %s: %s", before,
			  path, strerror(-err))
		   : 0;
}

/* Checks that PATH.old is free for the recording at PATH. */
static int check_old(const char *old, char **why)
{
	struct stat status;

	return lstat(old, &status) == 0 && !is_recording(old) &&
			       !is_empty_directory(old)
		       ? refuse(old, why)
		       : 0;
}

/*
 * Renames PATH to PATH.before. Returns 1 if PATH existed, 0 if not, or -errno
 * and *why.
 */
static int move_aside(const char *path, const char *before, const char *old,
		      char **why)
{
	struct stat status;
	int err;

	if (lstat(path, &status) != 0)
		return 0;
	/* An empty directory, such as that of mktemp -d, may be replaced. */
	if (!is_empty_directory(path)) {
		err = is_recording(path) ? check_old(old, why)
					 : refuse(path, why);
		if (err)
			return err;
	}
	return rename(path, before) == 0
		       ? 1
		       : fail(why, -errno, "%s cannot be moved aside: %s", path,
			      strerror(errno));
}

/* Writes a file. A limit on file sizes causes an error, not a signal. */
static int write_file(const char *path, const char *basename, const char *text,
		      char **why)
{
	void (*on_size)(int) = signal(SIGXFSZ, SIG_IGN);
	char *name = memory_printf("%s/%s", path, basename);
	FILE *file = fopen(name, "wxe");
	int err = 0;

	if (!file || fputs(text, file) < 0)
		err = -errno;
	if (file && fclose(file) != 0 && !err)
		err = -errno;
	signal(SIGXFSZ, on_size);
	if (err)
		fail(why, err, "%s: %s", name, strerror(-err));
	free(name);
	return err;
}

static int fill(const char *path, const char *config, char **why)
{
	int err = write_file(path, WIRE_CONFIG_NAME, config, why);

	return err ? err
		   : write_file(path, WIRE_UNRECORDED_NAME,
				"# PID and the reason why it has no part, if "
				"any\n",
				why);
}

static int make(struct output *output, const char *path, const char *config,
		char **why)
{
	int err;

	if (mkdir(path, 0700) != 0)
		return fail(why, -errno, "%s: %s", path, strerror(errno));
	output->directory = realpath(path, NULL);
	err = output->directory ? lock_directory(path) : -errno;
	if (err < 0)
		return fail(why, err, "%s: %s", path, strerror(-err));
	output->lock = err;
	return fill(path, config, why);
}

/*
 * Fails if another process writes to `path`. `lock` is the result of locking
 * it.
 */
static int check_unused(const char *path, int lock, char **why)
{
	const pid_t writer = lock == -EBUSY ? recording_lock_holder(path)
					    : recording_process(path);

	if (lock == -EBUSY && writer)
		return fail(why, lock,
			    "%s: another clew command (process %d) records "
			    "there; choose another folder with -o",
			    path, writer);
	if (lock == -EBUSY)
		return fail(why, lock,
			    "%s: another clew command records there; choose "
			    "another folder with -o",
			    path);
	return writer ? fail(why, -EBUSY,
			     "%s: process %d is being recorded there; choose "
			     "another folder with -o, or end that process",
			     path, writer)
		      : 0;
}

/*
 * Renames PATH to PATH.before, if PATH exists. Fails if another process records
 * there.
 */
static int clear(struct output *output, const char *path, char **why)
{
	char *before = sibling(path, ".before"), *old = sibling(path, ".old");
	const int lock = lock_directory(path);
	int err = check_unused(path, lock, why);

	if (!err)
		err = settle(path, before, old, why);
	if (!err)
		err = move_aside(path, before, old, why);
	output->has_before = err > 0;
	if (lock >= 0)
		close(lock);
	free(before);
	free(old);
	return err < 0 ? err : 0;
}

int output_create(struct output *output, const char *path, const char *config,
		  char **why)
{
	int err;

	*output = (struct output){ .lock = -1 };
	output->path = memory_printf("%s", path);
	err = clear(output, path, why);
	if (!err) {
		err = make(output, path, config, why);
		if (err)
			output_undo(output);
	}
	if (err)
		output_fini(output);
	return err;
}

/* Returns whether a path leads to the directory. */
static int leads_to(const char *path, const struct output *output)
{
	struct stat status, here;

	return fstat(output->lock, &status) == 0 && stat(path, &here) == 0 &&
	       here.st_dev == status.st_dev && here.st_ino == status.st_ino;
}

int output_is_in_place(const struct output *output)
{
	return leads_to(output->directory, output);
}

char *output_place(const struct output *output)
{
	char *name = memory_printf("/proc/self/fd/%d", output->lock);
	char *place = realpath(name, NULL);

	free(name);
	if (place && leads_to(place, output))
		return place;
	free(place);
	return NULL;
}

/* Unlocks explicitly, because forked processes inherited the descriptor. */
static void unlock(struct output *output)
{
	if (output->lock >= 0) {
		flock(output->lock, LOCK_UN);
		close(output->lock);
	}
	output->lock = -1;
}

int output_keep(struct output *output, char **why)
{
	char *before = sibling(output->path, ".before");
	char *old = sibling(output->path, ".old");
	const int err = output->has_before ? keep(before, old, why) : 0;

	output->has_before = 0;
	free(before);
	free(old);
	return err;
}

void output_undo(struct output *output)
{
	char *before = sibling(output->path, ".before");

	if (output->lock >= 0 && !output_is_in_place(output))
		; /* All files remain. */
	else if (output->has_before)
		put_back(output->path, before);
	else if (output_remove(output->path) != 0)
		rmdir(output->path);
	output->has_before = 0;
	free(before);
}

void output_fini(struct output *output)
{
	unlock(output);
	free(output->path);
	free(output->directory);
	output->path = output->directory = NULL;
}

int output_give(const char *path, uid_t user)
{
	DIR *dir = open_directory(path);
	const gid_t same = (gid_t)-1;
	int err = 0;

	if (!dir)
		return -errno;
	if (fchownat(dirfd(dir), WIRE_CONFIG_NAME, user, same,
		     AT_SYMLINK_NOFOLLOW) != 0 ||
	    fchownat(dirfd(dir), WIRE_UNRECORDED_NAME, user, same,
		     AT_SYMLINK_NOFOLLOW) != 0 ||
	    fchown(dirfd(dir), user, same) != 0)
		err = -errno;
	closedir(dir);
	return err;
}

/*
 * Returns whether `path` is the folder or inside it; 0 if either does not
 * exist.
 */
static int is_within(const char *path, const char *folder)
{
	char *inner = realpath(path, NULL), *outer = realpath(folder, NULL);
	size_t length = outer ? strlen(outer) : 0;
	int is = inner && outer && strncmp(inner, outer, length) == 0 &&
		 (inner[length] == '\0' || inner[length] == '/');

	free(inner);
	free(outer);
	return is;
}

int output_endangers(const char *path, const char *other)
{
	char *before = sibling(path, ".before"), *old = sibling(path, ".old");
	int does = is_within(other, path) || is_within(other, before) ||
		   is_within(other, old);

	free(before);
	free(old);
	return does;
}

static char *numbered_path(const char *path, unsigned int number)
{
	return memory_printf("%s.%u", path, number);
}

static int check_numbered(const char *path, unsigned int number, char **why)
{
	char *numbered = numbered_path(path, number);
	const int err = check_old(numbered, why);

	free(numbered);
	return err;
}

/* Renames `from`, if it exists. Returns 0, or -errno and *why. */
static int rename_if_any(const char *from, const char *to, char **why)
{
	if (rename(from, to) == 0 || errno == ENOENT)
		return 0;
	return fail(why, -errno, "%s cannot be renamed to %s: %s", from, to,
		    strerror(errno));
}

int output_rotate(const char *path, const char *newest, unsigned int keep,
		  char **why)
{
	char *to = numbered_path(path, keep), *from;
	int err = 0;

	for (unsigned int i = 1; i <= keep && !err; i++)
		err = check_numbered(path, i, why);
	if (!err) {
		err = output_remove(to);
		if (err)
			fail(why, err, "%s cannot be removed: %s", to,
			     strerror(-err));
	}
	for (unsigned int i = keep - 1; i > 0 && !err; i--) {
		from = numbered_path(path, i);
		err = rename_if_any(from, to, why);
		free(to);
		to = from;
	}
	if (!err)
		err = rename_if_any(newest, to, why);
	free(to);
	return err;
}
