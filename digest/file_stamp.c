/* SPDX-License-Identifier: MIT */
/* See file_stamp.h. */
#include "digest/file_stamp.h"

#include <errno.h>
#include <linux/magic.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#define XFS_MAGIC 0x58465342
#define ZFS_MAGIC 0x2fc12fc1

int file_stamp_is_local(int fd)
{
	static const uint32_t known[] = {
		EXT4_SUPER_MAGIC, XFS_MAGIC, BTRFS_SUPER_MAGIC,
		F2FS_SUPER_MAGIC, ZFS_MAGIC, OVERLAYFS_SUPER_MAGIC,
		TMPFS_MAGIC
	};
	struct statfs system;

	if (fstatfs(fd, &system))
		return 0;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if ((uint32_t)system.f_type == known[i])
			return 1;
	return 0;
}

/* Some file systems store only seconds. */
static int is_settled(const struct timespec *then)
{
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME_COARSE, &now))
		return 0;
	if (!then->tv_nsec)
		return now.tv_sec > then->tv_sec + 1;
	return now.tv_sec > then->tv_sec ||
	       (now.tv_sec == then->tv_sec && now.tv_nsec > then->tv_nsec);
}

int file_stamp_of(int fd, struct file_stamp *out)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	*out = (struct file_stamp){
		.device = st.st_dev,
		.inode = st.st_ino,
		.bytes = (uint64_t)st.st_size,
		.changed_s = st.st_mtim.tv_sec,
		.changed_ns = st.st_mtim.tv_nsec,
		.attributed_s = st.st_ctim.tv_sec,
		.attributed_ns = st.st_ctim.tv_nsec,
		.owner = st.st_uid,
		.mode = st.st_mode,
		.is_settled = (uint8_t)is_settled(&st.st_ctim),
		.is_of_this_machine = (uint8_t)file_stamp_is_local(fd),
	};
	return 0;
}

int file_stamp_is_same(const struct file_stamp *a, const struct file_stamp *b)
{
	return a->device == b->device && a->inode == b->inode &&
	       a->bytes == b->bytes && a->changed_s == b->changed_s &&
	       a->changed_ns == b->changed_ns &&
	       a->attributed_s == b->attributed_s &&
	       a->attributed_ns == b->attributed_ns;
}

int file_stamp_is_guarded(const struct file_stamp *stamp, uint32_t user)
{
	return stamp->is_of_this_machine &&
	       (stamp->owner == 0 || stamp->owner == user) &&
	       (stamp->mode & (S_IWGRP | S_IWOTH)) == 0;
}
