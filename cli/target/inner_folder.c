/* SPDX-License-Identifier: MIT */
/* See inner_folder.h. */
#include "cli/target/inner_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/target/file_rights.h"

/* Maximum number of attempts to find an unused name. */
#define NAMES_MAX  100
#define COPY_BYTES 65536

/*
 * Folders of the process in which the new folder is created; tried in this
 * order.
 */
static const char *const places[] = { "/tmp", "/var/tmp", "/run", "/dev/shm",
				      "/" };

void inner_folder_act(const struct inner_folder *folder)
{
	setfsgid(folder->group);
	setfsuid(folder->user);
}

void inner_folder_act_no_more(void)
{
	setfsuid(geteuid());
	setfsgid(getegid());
}

/* ---- Opening ---- */

static int open_root(pid_t pid)
{
	char *path = memory_printf("/proc/%d/root", pid);
	const int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	free(path);
	return fd < 0 ? -errno : fd;
}

/*
 * Opens a folder by its path from the open directory `root`, without following
 * symbolic links, and closes `root`. Returns a descriptor or -errno.
 */
static int descend(int root, const char *path)
{
	int at = root;

	for (path += strspn(path, "/"); *path && at >= 0;
	     path += strspn(path, "/")) {
		const size_t length = strcspn(path, "/");
		char *name = memory_string(path, length);
		int next =
			openat(at, name,
			       O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (next < 0 || strcmp(name, "..") == 0) {
			if (next >= 0)
				close(next);
			next = next < 0 ? -errno : -EINVAL;
		}
		close(at);
		free(name);
		at = next;
		path += length;
	}
	return at;
}

/*
 * Opens a folder in an open folder. Refuses symbolic links, which could lead to
 * other files. Returns a descriptor or -errno.
 */
static int open_in(int parent, const char *name)
{
	const int fd = openat(parent, name,
			      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static const char *name_of(const struct inner_folder *folder)
{
	return strrchr(folder->path, '/') + 1;
}

static int take_user(struct inner_folder *folder, pid_t pid)
{
	struct file_rights rights;
	const int err = file_rights_read(&rights, pid);

	folder->user = rights.user;
	folder->group = rights.group;
	file_rights_fini(&rights);
	return err;
}

static int is_of_user(const struct inner_folder *folder)
{
	struct stat status;

	return fstat(folder->fd, &status) == 0 && status.st_uid == folder->user;
}

int inner_folder_open(struct inner_folder *folder, pid_t pid, const char *path,
		      char **why)
{
	const char *name = strrchr(path, '/');
	char *above = memory_string(path, name ? (size_t)(name - path) : 0);
	int err = name && name[1] ? take_user(folder, pid) : -EINVAL;

	if (!err) {
		const int root = open_root(pid);

		folder->parent = root < 0 ? root : descend(root, above);
		err = folder->parent < 0 ? folder->parent : 0;
	}
	free(above);
	if (!err) {
		folder->fd = open_in(folder->parent, name + 1);
		err = folder->fd < 0 ? folder->fd : 0;
		if (!err && !is_of_user(folder)) {
			close(folder->fd);
			err = -EPERM;
		}
		if (err)
			close(folder->parent);
	}
	if (err)
		return fail(why, err, "%s below its root directory: %s", path,
			    strerror(-err));
	folder->path = memory_printf("%s", path);
	return 0;
}

/* ---- Creating ---- */

static int may_execute(int fd)
{
	struct statvfs where;

	return fstatvfs(fd, &where) != 0 || !(where.f_flag & ST_NOEXEC);
}

/*
 * Returns the path of a new folder, which the caller frees. In the first
 * attempt the name is clew-PID, so that a repeated recording of the process has
 * the same configuration. Further attempts use a random name, which another
 * user cannot create in advance.
 */
static char *name_new(pid_t pid, const char *place, int attempt)
{
	uint64_t random = 0;

	if (!attempt)
		return memory_printf("%s/clew-%d", place, pid);
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = (uint64_t)attempt;
	return memory_printf("%s/clew-%d.%" PRIx64, place, pid, random);
}

static int make_new(struct inner_folder *folder, pid_t pid, const char *place)
{
	int err = -EEXIST;

	for (int i = 0; i < NAMES_MAX && err == -EEXIST; i++) {
		folder->path = name_new(pid, place, i);
		err = mkdirat(folder->parent, name_of(folder), 0700) == 0
			      ? 0
			      : -errno;
		if (!err) {
			folder->fd = open_in(folder->parent, name_of(folder));
			if (folder->fd >= 0)
				return 0;
			err = folder->fd;
		}
		free(folder->path);
	}
	return err;
}

static int make_in(struct inner_folder *folder, pid_t pid, int root,
		   const char *place, int is_to_load)
{
	const int from = dup(root);
	int err;

	folder->parent = from < 0 ? -errno : descend(from, place);
	if (folder->parent < 0)
		return folder->parent;
	err = is_to_load && !may_execute(folder->parent)
		      ? -ENOEXEC
		      : make_new(folder, pid, place + (place[1] == '\0'));
	if (err)
		close(folder->parent);
	return err;
}

static char *add_reason(char *said, const char *place, int err)
{
	char *all = memory_printf(
		"%s%s%s: %s", said ? said : "", said ? ", " : "", place,
		err == -ENOEXEC ? "mounted noexec" : strerror(-err));

	free(said);
	return all;
}

int inner_folder_make(struct inner_folder *folder, pid_t pid, int is_to_load,
		      const char *cause, char **why)
{
	const int root = open_root(pid);
	char *said = NULL;
	int err = root < 0 ? root : take_user(folder, pid);

	if (root < 0)
		return fail(why, err, "its root directory cannot be opened: %s",
			    strerror(-err));
	if (!err) {
		err = -ENOENT;
		inner_folder_act(folder);
		for (size_t i = 0; i < sizeof(places) / sizeof(*places) && err;
		     i++) {
			err = make_in(folder, pid, root, places[i], is_to_load);
			if (err)
				said = add_reason(said, places[i], err);
		}
		inner_folder_act_no_more();
	}
	close(root);
	if (err)
		fail(why, err,
		     "%s, and clew cannot create a folder for %s (%s); see "
		     "NOTES in clew-attach(1)",
		     cause,
		     is_to_load ? "libclew.so and the recording"
				: "the recording",
		     said ? said : strerror(-err));
	free(said);
	return err;
}

void inner_folder_close(struct inner_folder *folder)
{
	close(folder->fd);
	close(folder->parent);
	free(folder->path);
	*folder = (struct inner_folder){ .fd = -1, .parent = -1 };
}

/*
 * Removes the files of a folder, and those of the folders in it if there may be
 * any: snapshots.
 */
static void remove_files(int folder, int may_have_folders)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	DIR *files = fdopendir(dup(folder));
	struct dirent *entry;

	if (files)
		rewinddir(files);
	while (files && (entry = readdir(files))) {
		const char *name = entry->d_name;
		int inner;

		if (unlinkat(folder, name, 0) == 0 || !may_have_folders ||
		    *name == '.')
			continue;
		inner = openat(folder, name, flags);
		if (inner < 0)
			continue;
		remove_files(inner, 0);
		close(inner);
		unlinkat(folder, name, AT_REMOVEDIR);
	}
	if (files)
		closedir(files);
}

void inner_folder_remove(struct inner_folder *folder)
{
	inner_folder_act(folder);
	remove_files(folder->fd, 1);
	unlinkat(folder->parent, name_of(folder), AT_REMOVEDIR);
	inner_folder_act_no_more();
	inner_folder_close(folder);
}

char *inner_folder_path(const struct inner_folder *folder)
{
	return memory_printf("/proc/self/fd/%d", folder->fd);
}

/* ---- Writing files ---- */

static int create(const struct inner_folder *folder, const char *name)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd;

	inner_folder_act(folder);
	fd = openat(folder->fd, name, flags, 0700);
	if (fd < 0)
		fd = -errno;
	inner_folder_act_no_more();
	return fd;
}

static int write_all(int fd, const char *bytes, size_t count)
{
	while (count) {
		const ssize_t put = write(fd, bytes, count);

		if (put <= 0)
			return put ? -errno : -EIO;
		bytes += put;
		count -= (size_t)put;
	}
	return 0;
}

static int explain(const struct inner_folder *folder, const char *name, int err,
		   char **why)
{
	return err ? fail(why, err, "%s/%s cannot be written: %s", folder->path,
			  name, strerror(-err))
		   : 0;
}

int inner_folder_copy(const struct inner_folder *folder, const char *from,
		      const char *name, char **why)
{
	char bytes[COPY_BYTES];
	const int in = open(from, O_RDONLY | O_CLOEXEC);
	const int out = in < 0 ? -errno : create(folder, name);
	ssize_t got = 1;
	int err = out < 0 ? out : 0;

	while (!err && got > 0) {
		got = read(in, bytes, sizeof(bytes));
		err = got < 0 ? -errno : write_all(out, bytes, (size_t)got);
	}
	if (out >= 0 && close(out) != 0 && !err)
		err = -errno;
	if (in >= 0)
		close(in);
	return explain(folder, name, err, why);
}

int inner_folder_write(const struct inner_folder *folder, const char *text,
		       const char *name, char **why)
{
	const int out = create(folder, name);
	int err = out < 0 ? out : write_all(out, text, strlen(text));

	if (out >= 0 && close(out) != 0 && !err)
		err = -errno;
	return explain(folder, name, err, why);
}
