/* SPDX-License-Identifier: MIT */
/* See regular_file.h. */
#include "base/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int are_same(int fd, const struct stat *status)
{
	struct stat now;

	return fstat(fd, &now) == 0 && now.st_dev == status->st_dev &&
	       now.st_ino == status->st_ino;
}

/*
 * Opens the file to which `place`, an O_PATH descriptor, refers, and which
 * `status` describes. The file is opened through /proc, because its name may
 * refer to another one meanwhile. Without /proc, the name is opened, and the
 * result is -EINVAL if this is another file.
 */
static int open_place(int place, int folder, const char *path, int flags,
		      const struct stat *status)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", place);
	fd = open(name, flags & ~O_NOFOLLOW);
	if (fd < 0 && errno == ENOENT)
		fd = openat(folder, path, flags);
	if (fd < 0)
		return -errno;
	if (are_same(fd, status))
		return fd;
	close(fd);
	return -EINVAL;
}

int regular_file_open_at(int folder, const char *path, int flags)
{
	const int place =
		openat(folder, path, O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW));
	struct stat status;
	int fd = -EINVAL;

	if (place < 0)
		return -errno;
	if (fstat(place, &status) == 0 && S_ISREG(status.st_mode))
		fd = open_place(place, folder, path,
				flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
				&status);
	close(place);
	return fd;
}

int regular_file_open(const char *path, int flags)
{
	return regular_file_open_at(AT_FDCWD, path, flags);
}

FILE *regular_file_stream(const char *path)
{
	const int fd = regular_file_open(path, O_RDONLY);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd < 0)
		errno = -fd;
	else if (!stream)
		close(fd);
	return stream;
}
