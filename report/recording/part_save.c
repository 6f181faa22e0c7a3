/* SPDX-License-Identifier: MIT */
/* Writing a part to a new file: see part_reader.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file_copy.h"
#include "base/regular_file.h"
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

static int create(const char *path, char **why)
{
	const int fd =
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd < 0 ? fail(why, -errno, "%s: %s", path, strerror(errno)) : fd;
}

/* Closes a new file. `err` is 0 or what went wrong, -errno. */
static int end(int fd, int err, const char *path, char **why)
{
	if (close(fd) != 0 && !err)
		err = -errno;
	return err ? fail(why, err, "%s: %s", path, strerror(-err)) : 0;
}

int part_save(const struct part_copy *part, const char *path, char **why)
{
	const int fd = create(path, why);

	return fd < 0 ? fd : end(fd, write_pages(part, fd), path, why);
}

/*
 * Copies the used bytes of a part's file. A killed process leaves a hole behind
 * them.
 */
static int copy_used(int from, int to)
{
	struct wire_header header;
	struct stat status;

	if (fstat(from, &status) != 0)
		return -errno;
	if (pread(from, &header, sizeof(header), 0) != sizeof(header))
		return -EIO;
	return file_copy_until(from, to,
			       header.end < (uint64_t)status.st_size
				       ? (off_t)header.end
				       : status.st_size);
}

int part_save_packed(const struct part_copy *part, const char *path, char **why)
{
	const int from = regular_file_open(part->path, O_RDONLY);
	int to, err;

	if (from < 0)
		return fail(why, from, "%s: %s", part->path, strerror(-from));
	to = create(path, why);
	err = to < 0 ? to : end(to, copy_used(from, to), path, why);
	close(from);
	return err;
}
