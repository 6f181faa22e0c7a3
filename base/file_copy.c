/* SPDX-License-Identifier: MIT */
/* See file_copy.h. */
#include "base/file_copy.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static int copy_range(int from, int to, off_t at, off_t end)
{
	/* aligned as the file, see live_read.h */
	_Alignas(64) char bytes[1 << 14];

	while (at < end) {
		size_t wanted = end - at < (off_t)sizeof(bytes)
					? (size_t)(end - at)
					: sizeof(bytes);
		ssize_t got = pread(from, bytes, wanted, at);

		if (got == 0)
			return 0; /* the file was truncated meanwhile */
		if (got < 0 || pwrite(to, bytes, (size_t)got, at) != got)
			return got < 0 || errno ? -errno : -ENOSPC;
		at += got;
	}
	return 0;
}

int file_copy_until(int from, int to, off_t end)
{
	off_t at = 0;
	int err = 0;

	while (!err && at < end) {
		off_t data = lseek(from, at, SEEK_DATA);
		off_t hole = data < 0 ? -1 : lseek(from, data, SEEK_HOLE);

		if (data < 0 || data >= end)
			break;
		if (hole < 0 || hole > end)
			hole = end;
		errno = 0;
		err = copy_range(from, to, data, hole);
		at = hole;
	}
	if (!err && ftruncate(to, end) != 0)
		err = -errno;
	return err;
}

int file_copy(int from, int to)
{
	struct stat status;

	if (fstat(from, &status) != 0)
		return -errno;
	return file_copy_until(from, to, status.st_size);
}
