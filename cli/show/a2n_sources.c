/* SPDX-License-Identifier: MIT */
/* See a2n_sources.h. */
#include "cli/show/a2n_sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/regular_file.h"
#include "cli/common/command.h"
#include "cli/target/inner_folder.h"

static void count_read(const struct a2n_sources *sources, const char *path,
		       int err, const struct a2n_read *read)
{
	if (err) {
		complain(sources->command, "%s: %s", path,
			 err == -EBADMSG ? "not a jitdump file"
					 : strerror(-err));
		return;
	}
	if (read->malformed > 0 || sources->is_verbose)
		complain(
			sources->command,
			"%s: %llu records read, %llu malformed records skipped",
			path, (unsigned long long)read->records,
			(unsigned long long)read->malformed);
	if (read->lines > 0)
		complain(sources->command,
			 "%s: skipped %llu line entries outside their code",
			 path, (unsigned long long)read->lines);
}

static int is_of(const struct inner_folder *folder, int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 &&
	       (status.st_uid == folder->user || status.st_uid == 0);
}

/*
 * Opens the map that the process writes, in the process's own file system and
 * without following links. Returns a descriptor or -errno: -EPERM if the file
 * belongs neither to the process's user nor to root, because another user can
 * create a file of that name; -ENOENT if the folder cannot be opened or there
 * is no map.
 */
static int open_own_perf_map(pid_t pid, const char *name)
{
	struct inner_folder folder;
	char *why;
	int fd;

	if (inner_folder_open(&folder, pid, "/tmp", &why) != 0) {
		free(why);
		return -ENOENT;
	}
	fd = regular_file_open_at(folder.fd, name, O_RDONLY | O_NOFOLLOW);
	if (fd >= 0 && !is_of(&folder, fd)) {
		close(fd);
		fd = -EPERM;
	}
	inner_folder_close(&folder);
	return fd;
}

static const char *map_error(int err)
{
	if (err == -EPERM)
		return "not read, because it belongs to another user";
	return err == -EINVAL ? "not read, because it is not a regular file"
			      : strerror(-err);
}

static void read_own_perf_map(const struct a2n_sources *sources,
			      struct a2n_space *space)
{
	char *name = memory_printf("perf-%d.map", sources->pid);
	int fd = open_own_perf_map(sources->pid, name);
	char *path = memory_printf("/proc/self/fd/%d", fd);
	struct a2n_read read;

	if (fd >= 0)
		count_read(sources, name,
			   a2n_space_read_perf_map(space, path, 0, &read),
			   &read);
	else if (fd != -ENOENT)
		complain(sources->command, "/tmp/%s: %s", name, map_error(fd));
	if (fd >= 0)
		close(fd);
	free(path);
	free(name);
}

static int read_all(const struct a2n_sources *sources, struct a2n_space *space)
{
	struct a2n_read read = { 0 };
	int err = 0;

	if (sources->pid) {
		err = a2n_space_map_process(space, sources->pid, 0);
		if (err)
			complain(sources->command, "process %d: %s",
				 sources->pid, strerror(-err));
		else
			read_own_perf_map(sources, space);
	}
	if (!err && sources->perf_map) {
		err = a2n_space_read_perf_map(space, sources->perf_map, 0,
					      &read);
		count_read(sources, sources->perf_map, err, &read);
	}
	if (!err && sources->jitdump) {
		err = a2n_space_read_jitdump(space, sources->jitdump, &read);
		count_read(sources, sources->jitdump, err, &read);
	}
	return err;
}

int a2n_sources_read(const struct a2n_sources *sources, struct a2n *a2n,
		     struct a2n_space **out)
{
	struct a2n_space *space;
	int err = a2n_space_create(a2n, &space);

	if (err)
		return err;
	err = read_all(sources, space);
	if (!err)
		err = a2n_space_commit(space);
	if (err)
		a2n_space_destroy(space);
	else
		*out = space;
	return err;
}
