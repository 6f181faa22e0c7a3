/* SPDX-License-Identifier: MIT */
#include "cli/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "wire/recording.h"
#include "wire/taken.h"

static int ends_with(const char *text, const char *suffix)
{
	size_t length = strlen(text), behind = strlen(suffix);

	return length >= behind && strcmp(text + length - behind, suffix) == 0;
}

/* PID.SEQ.snapshotN, which is a recording in it. */
static int is_snapshot(const char *name)
{
	const char *suffix = strstr(name, WIRE_SNAPSHOT_SUFFIX);
	const char *number =
		suffix ? suffix + strlen(WIRE_SNAPSHOT_SUFFIX) : "";

	return *number && strspn(number, "0123456789") == strlen(number);
}

static int is_ours(const char *name)
{
	return strcmp(name, WIRE_CONFIG_NAME) == 0 ||
	       strcmp(name, WIRE_UNRECORDED_NAME) == 0 ||
	       ends_with(name, WIRE_PART_SUFFIX) ||
	       ends_with(name, WIRE_STUBS_SUFFIX) ||
	       ends_with(name, WIRE_TRACE_SUFFIX) ||
	       ends_with(name, WIRE_TAKEN_SUFFIX) || is_snapshot(name) ||
	       ends_with(name, WIRE_MAP_SUFFIX) ||
	       ends_with(name, WIRE_JITDUMP_SUFFIX);
}

/*
 * A directory, but not through a symbolic link: whoever may write where the
 * recording goes could have made the link, to a directory that is none of ours.
 */
static DIR *open_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

/* What a directory holds: 1 a recording and nothing else, 0 anything else. */
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

static void remove_entry(const char *path, DIR *dir, const char *name)
{
	char *inner;

	if (!is_snapshot(name)) {
		unlinkat(dirfd(dir), name, 0);
		return;
	}
	inner = memory_printf("%s/%s", path, name);
	output_remove(inner);
	free(inner);
}

int output_remove(const char *path)
{
	DIR *dir = open_directory(path);
	struct dirent *entry;

	if (!dir)
		return errno == ENOENT ? 0 : -EEXIST;
	if (!holds_recording(dir)) {
		closedir(dir);
		return -EEXIST;
	}
	while ((entry = readdir(dir))) {
		if (is_ours(entry->d_name))
			remove_entry(path, dir, entry->d_name);
	}
	closedir(dir);
	return rmdir(path) == 0 ? 0 : -errno;
}

char *output_old_name(const char *path)
{
	int length = (int)strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	return memory_printf("%.*s.old", length, path);
}

static int move_aside(const char *path, char **why)
{
	char *old;
	int err;

	if (!is_recording(path))
		return fail(why, -EEXIST, "%s: exists and is not a recording",
			    path);
	old = output_old_name(path);
	err = output_remove(old);
	if (err == -EEXIST)
		err = fail(why, -EEXIST, "%s: exists and is not a recording",
			   old);
	else if (err)
		err = fail(why, err, "%s: cannot be removed: %s", old,
			   strerror(-err));
	else if (rename(path, old) != 0)
		err = fail(why, -errno, "%s: cannot be moved aside: %s", path,
			   strerror(errno));
	free(old);
	return err;
}

/* Where it may not be as long as it is, that is an error and no more. */
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

int output_create(const char *path, const char *config, char **absolute,
		  char **why)
{
	struct stat status;
	int err = 0;

	/* An empty directory, such as mktemp -d makes, is as good as none. */
	if (lstat(path, &status) == 0 && rmdir(path) != 0)
		err = move_aside(path, why);
	if (err)
		return err;
	if (mkdir(path, 0700) != 0)
		return fail(why, -errno, "%s: %s", path, strerror(errno));
	err = write_file(path, WIRE_CONFIG_NAME, config, why);
	if (!err)
		err = write_file(path, WIRE_UNRECORDED_NAME,
				 "# PID and why it left no part, if any\n",
				 why);
	if (err)
		return err;
	*absolute = realpath(path, NULL);
	if (!*absolute)
		return fail(why, -errno, "%s: %s", path, strerror(errno));
	return 0;
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

/* Whether `path` is the folder, or in it; either may not be there. */
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
	char *old = output_old_name(path);
	int does = is_within(other, path) || is_within(other, old);

	free(old);
	return does;
}
