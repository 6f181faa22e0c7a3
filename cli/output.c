/* SPDX-License-Identifier: MIT */
#include "cli/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "wire/recording.h"

static int ends_with(const char *text, const char *suffix)
{
	size_t length = strlen(text), behind = strlen(suffix);

	return length >= behind && strcmp(text + length - behind, suffix) == 0;
}

static int is_ours(const char *name)
{
	return strcmp(name, WIRE_CONFIG_NAME) == 0 ||
	       ends_with(name, WIRE_PART_SUFFIX) ||
	       ends_with(name, WIRE_STUBS_SUFFIX);
}

/* What a directory holds: 1 a recording and nothing else, 0 anything else. */
static int is_recording(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int has_config = 0, has_others = 0;

	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		has_config |= strcmp(entry->d_name, WIRE_CONFIG_NAME) == 0;
		has_others |= !is_ours(entry->d_name);
	}
	closedir(dir);
	return has_config && !has_others;
}

/* Removes the files of a recording, then the directory. */
static int remove_recording(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		if (is_ours(entry->d_name))
			unlinkat(dirfd(dir), entry->d_name, 0);
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
	char *old = output_old_name(path);
	struct stat status;
	int err = 0;

	if (!is_recording(path))
		err = fail(why, -EEXIST, "%s: exists and is not a recording",
			   path);
	else if (lstat(old, &status) == 0 && !is_recording(old))
		err = fail(why, -EEXIST, "%s: exists and is not a recording",
			   old);
	if (err)
		goto free_old;
	remove_recording(old);
	if (rename(path, old) != 0)
		err = fail(why, -errno, "%s: cannot be moved aside: %s", path,
			   strerror(errno));
free_old:
	free(old);
	return err;
}

static int write_config(const char *path, const char *config, char **why)
{
	char *name = memory_printf("%s/" WIRE_CONFIG_NAME, path);
	FILE *file = fopen(name, "wxe");
	int err = 0;

	if (!file || fputs(config, file) < 0)
		err = -errno;
	if (file && fclose(file) != 0 && !err)
		err = -errno;
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
	err = write_config(path, config, why);
	if (err)
		return err;
	*absolute = realpath(path, NULL);
	if (!*absolute)
		return fail(why, -errno, "%s: %s", path, strerror(errno));
	return 0;
}
