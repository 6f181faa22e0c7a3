/* SPDX-License-Identifier: MIT */
/* See page_making.h. */
#include "preload/record/page_making.h"

#include <linux/magic.h>
#include <sys/statfs.h>

#include "preload/sys/apart.h"
#include "preload/sys/enlarge.h"
#include "preload/sys/sys.h"

#define XFS_MAGIC 0x58465342

struct page_stretch {
	const char *path;
	uint64_t dev, ino;
	uint64_t offset, bytes;
};

int page_making_pays(int fd)
{
	struct statfs of;

	if (sys_call(SYS_fstatfs, fd, (long)&of, 0, 0, 0, 0))
		return 0;
	return of.f_type == EXT4_SUPER_MAGIC || of.f_type == XFS_MAGIC ||
	       of.f_type == BTRFS_SUPER_MAGIC;
}

/*
 * Returns whether the descriptor is that of the expected file. Not inlined,
 * because the program's stack may be small: this frame is gone before anything
 * is written.
 */
static __attribute__((noinline)) int is_that(int fd,
					     const struct page_stretch *stretch)
{
	struct stat st;

	return !sys_fstat(fd, &st) && st.st_dev == stretch->dev &&
	       st.st_ino == stretch->ino;
}

/*
 * A function for apart_call_alone(): writes zeros to the stretch of the file.
 */
static int write_zeros(void *argument)
{
	struct page_stretch *stretch = argument;
	const int fd =
		sys_open(stretch->path,
			 O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	long done = fd < 0 || !is_that(fd, stretch) ? 0 : 1;

	while (done > 0 && stretch->bytes) {
		done = enlarge_by_zeros(fd, stretch->bytes, stretch->offset);
		if (done > 0) {
			stretch->offset += (uint64_t)done;
			stretch->bytes -= (uint64_t)done;
		}
	}
	if (fd >= 0)
		sys_close(fd);
	return 0;
}

void page_making_write(const char *path, uint64_t dev, uint64_t ino,
		       uint64_t offset, uint64_t bytes)
{
	struct page_stretch stretch = { path, dev, ino, offset, bytes };

	apart_call_alone(write_zeros, &stretch);
}
