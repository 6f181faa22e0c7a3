/* SPDX-License-Identifier: MIT */
/*
 * What the kernel says of a file: enough to know, without reading it, that it is
 * unchanged, and who can have changed it.
 *
 * Each write to a file sets its ctime, the time of its last change of any kind,
 * which no system call can set to a chosen value. A later file with the same
 * device, inode, size, mtime and ctime therefore has the same bytes. This does
 * not hold
 *
 *	within one tick		of the kernel's coarse clock: a second write leaves
 *				the same time (`is_settled`)
 *	where others decide	what the kernel says: FUSE, network file systems,
 *				and images of read-only file systems
 *				(`is_of_this_machine`)
 *	for a writer's mapping	a page that is dirty already changes without
 *				another time
 *
 * so a stamp is believed only for files that root or the user who believes it
 * owns, and that nobody else may write (file_stamp_is_guarded()). Whoever can set
 * the clock, or write to the disk below the file system, is root.
 */
#ifndef CLEW_DIGEST_FILE_STAMP_H
#define CLEW_DIGEST_FILE_STAMP_H

#include <stdint.h>

struct file_stamp {
	uint64_t device, inode;
	uint64_t bytes;
	int64_t changed_s, changed_ns;       /* mtime */
	int64_t attributed_s, attributed_ns; /* ctime */
	uint32_t owner;
	uint32_t mode;
	uint8_t is_settled;         /* a later write leaves another ctime */
	uint8_t is_of_this_machine; /* a disk's or memory's, by the kernel */
};

/* 0 or -errno. */
int file_stamp_of(int fd, struct file_stamp *out);

/* Whether they state the same file with the same bytes, if both are settled. */
int file_stamp_is_same(const struct file_stamp *a, const struct file_stamp *b);

/* Whether nobody but root and this user can have chosen the file's bytes. */
int file_stamp_is_guarded(const struct file_stamp *stamp, uint32_t user);

/* Whether an open file lies in a file system of this machine. */
int file_stamp_is_local(int fd);

#endif
