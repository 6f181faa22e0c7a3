/* SPDX-License-Identifier: MIT */
/* See index_cache.h. */
#include "symbolizer/index_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "digest/digest_links.h"
#include "symbolizer/elf/checksum.h"
#include "symbolizer/index_format.h"

#define SUFFIX ".a2n"

static char *join(const char *directory, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

/* Creates a directory and its parents. Returns 0 or -errno. */
static int make_directories(char *path)
{
	for (char *at = path + 1;; at++) {
		char here = *at;

		if (here != '/' && here != '\0')
			continue;
		*at = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST && !here)
			return -errno;
		*at = here;
		if (!here)
			return 0;
	}
}

char *index_cache_default_directory(void)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	struct stat status;

	if (cache && cache[0] == '/')
		return join(cache, "clew/a2n");
	/* If the home directory does not exist, there is no cache. */
	if (home && home[0] == '/' && stat(home, &status) == 0 &&
	    S_ISDIR(status.st_mode))
		return join(home, ".cache/clew/a2n");
	return NULL;
}

char *index_cache_open_directory(const char *directory)
{
	char version[16];
	char *path;

	if (!directory || !*directory)
		return NULL;
	snprintf(version, sizeof(version), "v%d", INDEX_VERSION);
	path = join(directory, version);
	if (!path)
		return NULL;
	if (make_directories(path) == 0 && access(path, R_OK | X_OK) == 0)
		return path;
	free(path);
	return NULL;
}

/*
 * Returns whether only root and this user can add or replace files in the
 * folder of this file.
 */
static int is_among_guarded(const char *path)
{
	const char *end = strrchr(path, '/');
	char *folder = strndup(path, end > path ? (size_t)(end - path) : 1);
	uint32_t owner;
	int is_guarded = folder && digest_folder_owner(folder, &owner) == 0;

	free(folder);
	return is_guarded;
}

char *index_cache_directory_of(const char *directory, const char *path,
			       const struct identity *identity)
{
	const struct file_stamp *stamp = &identity->stamp;
	char *made;

	if (file_stamp_is_guarded(stamp, geteuid()) && is_among_guarded(path))
		return strdup(directory);
	if (stamp->owner == 0 || stamp->owner == geteuid() ||
	    !file_stamp_is_guarded(stamp, stamp->owner))
		made = join(directory, "others");
	else if (asprintf(&made, "%s/user-%" PRIu32, directory, stamp->owner) <
		 0)
		made = NULL;
	if (made)
		mkdir(made, 0700);
	return made;
}

void index_cache_name(const struct a2n_build_id *build_id,
		      const uint8_t digest[DIGEST_BYTES], uint64_t config,
		      char name[INDEX_CACHE_NAME_BYTES])
{
	char id[2 * sizeof(build_id->data) + 1] = "";
	char content[2 * DIGEST_BYTES + 1], suffix[24] = "";

	digest_text(build_id->data, build_id->bytes, id);
	digest_text(digest, DIGEST_BYTES, content);
	if (config)
		snprintf(suffix, sizeof(suffix), "-%" PRIx64, config);
	snprintf(name, INDEX_CACHE_NAME_BYTES, "%s%s%s%s%s", id, *id ? "-" : "",
		 content, suffix, SUFFIX);
}

static int is_trusted(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 &&
	       (status.st_uid == 0 || status.st_uid == geteuid()) &&
	       (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

int index_cache_find(const char *directory, const char *name)
{
	char *path = join(directory, name);
	int fd;

	if (!path)
		return -ENOMEM;
	fd = regular_file_open(path, O_RDONLY | O_NOFOLLOW);
	free(path);
	if (fd < 0 || is_trusted(fd))
		return fd;
	close(fd);
	return -EPERM;
}

int index_cache_find_build(const char *directory, const struct a2n_build_id *id)
{
	char prefix[2 * sizeof(id->data) + 2] = "";
	DIR *stream = opendir(directory);
	struct dirent *entry;
	size_t length;
	int fd = -ENOENT;

	if (!stream)
		return -errno;
	digest_text(id->data, id->bytes, prefix);
	length = strlen(prefix);
	prefix[length++] = '-';
	while (fd < 0 && (entry = readdir(stream))) {
		if (strncmp(entry->d_name, prefix, length) == 0)
			fd = index_cache_find(directory, entry->d_name);
	}
	closedir(stream);
	return fd;
}

int index_cache_begin(const char *directory, char **path)
{
	char *made = join(directory, "tmp-XXXXXX");
	int fd;

	if (!made)
		return -ENOMEM;
	fd = mkostemp(made, O_CLOEXEC);
	if (fd < 0) {
		fd = -errno;
		free(made);
		return fd;
	}
	*path = made;
	return fd;
}

int index_cache_commit(const char *directory, const char *name,
		       const char *path)
{
	char *final = join(directory, name);
	int err = 0;

	if (!final)
		return -ENOMEM;
	if (rename(path, final) != 0)
		err = -errno;
	free(final);
	return err;
}

int index_cache_lock(const char *directory, const char *name, uint32_t seconds)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	char lock[16];
	char *path;
	int fd;

	snprintf(lock, sizeof(lock), "lock-%02x",
		 (unsigned int)(checksum(name, strlen(name)) & 0xff));
	path = join(directory, lock);
	if (!path)
		return -ENOMEM;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	free(path);
	if (fd < 0)
		return -errno;
	for (uint64_t tries = (uint64_t)seconds * 100;
	     flock(fd, LOCK_EX | LOCK_NB) != 0; tries--) {
		if (errno != EWOULDBLOCK || tries == 0) {
			close(fd);
			return -ETIMEDOUT;
		}
		nanosleep(&pause, NULL);
	}
	return fd;
}
