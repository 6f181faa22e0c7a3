/* SPDX-License-Identifier: MIT */
/* See hooked_files.h. */
#include "preload/patch/hooked_files.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "preload/hot/large_table.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"
#include "wire/recording.h"

#define HOOKED_FILES_MAX 1024
#define PATHS_BYTES      (HOOKED_FILES_MAX * 128) /* of all paths together */

struct file_identity {
	uint64_t device, inode;
};

/*
 * A file with hooked text, and the module's own file. The identity contains
 * changed_s and changed_ns, which are random (prelinked_file.h), so a later
 * file with the same inode number does not match.
 */
struct hooked_file {
	struct file_identity identity, own;
	uint64_t bytes;
	int64_t changed_s, changed_ns;
	const char *path; /* path of the module's own file, in `paths` */
};

/*
 * Written by the thread that has the turn (hooking_turn.h). Elements below
 * `count` never change again.
 */
static struct {
	struct hooked_file items[HOOKED_FILES_MAX];
	_Atomic uint32_t count;
	/* Never freed: a program may still use a file of a former session. */
	char paths[PATHS_BYTES];
	size_t path_bytes; /* used bytes of `paths` */
} hooked_files LARGE_TABLE;

static int is_identity(const struct file_identity *identity,
		       const struct stat *st)
{
	return identity->device == st->st_dev && identity->inode == st->st_ino;
}

static const struct hooked_file *find(const struct stat *st)
{
	/* This load pairs with the store in hooked_files_add(). */
	const uint32_t count = hooked_files.count;

	for (uint32_t i = 0; i < count; i++) {
		const struct hooked_file *file = &hooked_files.items[i];

		if (is_identity(&file->identity, st) &&
		    file->bytes == (uint64_t)st->st_size &&
		    file->changed_s == st->st_mtim.tv_sec &&
		    file->changed_ns == st->st_mtim.tv_nsec)
			return file;
	}
	return NULL;
}

/* Returns a copy of a path, or NULL if there is no room. */
static const char *copy_path(const char *path)
{
	const size_t bytes = strlen(path) + 1;
	char *copy = hooked_files.paths + hooked_files.path_bytes;

	if (bytes > PATHS_BYTES - hooked_files.path_bytes)
		return NULL;
	hooked_files.path_bytes += bytes;
	return memcpy(copy, path, bytes);
}

int hooked_files_add(int fd, const struct pristine_file *own,
		     const struct module *module)
{
	const uint32_t count = hooked_files.count;
	const char *path;
	struct stat st;
	int err = sys_fstat(fd, &st);

	if (err)
		return err;
	if (find(&st))
		return 0;
	path = count < HOOKED_FILES_MAX && module->path
		       ? copy_path(module->path)
		       : NULL;
	if (!path)
		return -ENOSPC;
	hooked_files.items[count] = (struct hooked_file){
		.identity = { st.st_dev, st.st_ino },
		.own = { own->device, own->inode },
		.bytes = (uint64_t)st.st_size,
		.changed_s = st.st_mtim.tv_sec,
		.changed_ns = st.st_mtim.tv_nsec,
		.path = path,
	};
	/* this store pairs with the load in find() */
	hooked_files.count = count + 1;
	return 0;
}

/*
 * Returns whether the descriptor is open for reading. With any other, mmap()
 * must fail as it would without clew.
 */
static int is_readable(int fd)
{
	const long flags = sys_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);

	return flags >= 0 && !(flags & O_PATH) &&
	       (flags & O_ACCMODE) != O_WRONLY;
}

static int open_own(const struct hooked_file *file)
{
	const int own = sys_open(file->path, O_RDONLY | O_CLOEXEC, 0);
	struct stat st;

	if (own < 0)
		return own;
	if (!sys_fstat(own, &st) && is_identity(&file->own, &st))
		return own;
	sys_close(own);
	return -ENOENT;
}

int hooked_files_open_own(int fd)
{
	const struct hooked_file *file;
	struct stat st;

	if (!hooked_files.count || sys_fstat(fd, &st))
		return -ENODATA;
	file = find(&st);
	return file && is_readable(fd) ? open_own(file) : -ENODATA;
}

static int has_suffix(const char *path)
{
	static const char suffix[] = WIRE_HOOKED_SUFFIX;
	const size_t length = strlen(path), bytes = sizeof(suffix) - 1;

	return length > bytes && same_text(path + length - bytes, suffix);
}

const char *hooked_files_path(const char *path)
{
	const struct hooked_file *file;
	struct stat st;

	if (!hooked_files.count || !path || !has_suffix(path) ||
	    sys_stat(path, &st))
		return path;
	file = find(&st);
	return file ? file->path : path;
}
