/* SPDX-License-Identifier: MIT */
/* See live_read.h. */
#include "base/live_read.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES  64
#define PIECE_BYTES (16 << 10)

ssize_t live_read(int fd, void *bytes, size_t count, off_t at)
{
	_Alignas(LINE_BYTES) char piece[PIECE_BYTES];
	size_t done = 0;

	while (done < count) {
		const size_t skip = (size_t)(at + (off_t)done) % LINE_BYTES;
		const size_t room = sizeof(piece) - skip;
		const size_t left = count - done;
		const ssize_t got =
			pread(fd, piece + skip, left < room ? left : room,
			      at + (off_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && !done)
			return -errno;
		if (got <= 0)
			break;
		memcpy((char *)bytes + done, piece + skip, (size_t)got);
		done += (size_t)got;
	}
	return (ssize_t)done;
}
