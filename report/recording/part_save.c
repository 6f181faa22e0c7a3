/* SPDX-License-Identifier: MIT */
/* Writing a part to a new file: see part_reader.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "report/recording/part_reader.h"

static int is_zero(const unsigned char *bytes, size_t length)
{
	/*
	 * All bytes are 0 if the first one is, and each byte equals the next
	 * one.
	 */
	return bytes[0] == 0 && memcmp(bytes, bytes + 1, length - 1) == 0;
}

static int write_at(int fd, const unsigned char *bytes, size_t length, off_t at)
{
	while (length > 0) {
		ssize_t put = pwrite(fd, bytes, length, at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		bytes += put;
		length -= (size_t)put;
		at += put;
	}
	return 0;
}

/* Writes the copy, except pages of zeros, which become holes. */
static int write_pages(const struct part_copy *part, int fd)
{
	for (size_t at = 0; at < part->size_bytes; at += WIRE_PAGE_BYTES) {
		size_t length = part->size_bytes - at < WIRE_PAGE_BYTES
					? part->size_bytes - at
					: WIRE_PAGE_BYTES;
		int err;

		if (is_zero(part->bytes + at, length))
			continue;
		err = write_at(fd, part->bytes + at, length, (off_t)at);
		if (err)
			return err;
	}
	return ftruncate(fd, (off_t)part->size_bytes) == 0 ? 0 : -errno;
}

int part_save(const struct part_copy *part, const char *path, char **why)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int err;

	if (fd < 0)
		return fail(why, -errno, "%s: %s", path, strerror(errno));
	err = write_pages(part, fd);
	if (close(fd) != 0 && !err)
		err = -errno;
	if (err)
		return fail(why, err, "%s: %s", path, strerror(-err));
	return 0;
}
