/* SPDX-License-Identifier: MIT */
/* See seal.h. */
#include "preload/sys/seal.h"

#include "preload/sys/enlarge.h"
#include "preload/sys/sys.h"

#define CLOSE_ON_EXEC 1U /* MFD_CLOEXEC of <linux/memfd.h> */

static int write_all(int fd, const char *from, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		const long got =
			enlarge_by_pwrite(fd, from + done, bytes - done, done);

		if (got <= 0)
			return got ? (int)got : -ENOSPC;
		done += (size_t)got;
	}
	return 0;
}

/* Replaces the memory by a mapping of a file with its content. */
static int map_copy(void *start, size_t bytes)
{
	const int fd = (int)sys_call(SYS_memfd_create, (long)"clew.stubs",
				     CLOSE_ON_EXEC, 0, 0, 0, 0);
	const void *got;
	int err;

	if (fd < 0)
		return fd;
	err = write_all(fd, start, bytes);
	if (!err) {
		got = sys_mmap(start, bytes, PROT_READ | PROT_EXEC,
			       MAP_PRIVATE | MAP_FIXED, fd, 0);
		err = sys_failed(got) ? (int)(long)got : 0;
	}
	sys_close(fd);
	return err;
}

int seal_pages(void *start, size_t bytes)
{
	const int err = sys_mprotect(start, bytes, PROT_READ | PROT_EXEC);

	if (err != -EACCES && err != -EPERM)
		return err;
	return map_copy(start, bytes) ? -ENOEXEC : 0;
}
