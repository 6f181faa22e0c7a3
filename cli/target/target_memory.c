/* SPDX-License-Identifier: MIT */
/* See target_memory.h. */
#include "cli/target/target_memory.h"

#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

int target_read(int memory, uint64_t at, void *out, size_t bytes)
{
	ssize_t got = pread(memory, out, bytes, (off_t)at);

	if (got == (ssize_t)bytes)
		return 0;
	return got < 0 ? -errno : -EIO;
}

int target_write(int memory, uint64_t at, const void *bytes, size_t count)
{
	ssize_t got = pwrite(memory, bytes, count, (off_t)at);

	if (got == (ssize_t)count)
		return 0;
	return got < 0 ? -errno : -EIO;
}
