/* SPDX-License-Identifier: MIT */
/*
 * The kernel's data about a file: it shows, without reading the file, that the
 * file is unchanged, and who can have changed it.
 *
 * Each write to a file sets its ctime, the time of its last change of any kind,
 * which no system call can set to a chosen value. A later file with the same
 * device, inode, size, mtime and ctime therefore has the same bytes. There are
 * exceptions:
 *
 *	- Within one tick of the kernel's coarse clock a second write leaves
 *	  the same time (`is_settled`).
 *	- Other systems control the data in FUSE, network file systems, and
 *	  images of read-only file systems (`is_of_this_machine`).
 *	- A page that is dirty already changes without another time, through
 *	  a writer's mapping.
 *
 * A stamp is therefore trusted only for files that root or the trusting user
 * owns, and that no other user may write to (file_stamp_is_guarded()). A user
 * who can set the clock, or write to the disk below the file system, is root.
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
	uint8_t is_settled;         /* a later write changes the ctime */
	uint8_t is_of_this_machine; /* on a local disk or in memory */
};

/* Reads the stamp of an open file. Returns 0 or -errno. */
int file_stamp_of(int fd, struct file_stamp *out);

/*
 * Returns whether both stamps have the same device, inode, size and times. If
 * `is_settled` is set in both, they describe the same file with the same bytes.
 */
int file_stamp_is_same(const struct file_stamp *a, const struct file_stamp *b);

/* Returns whether only root and this user can have chosen the file's bytes. */
int file_stamp_is_guarded(const struct file_stamp *stamp, uint32_t user);

/* Returns whether an open file is in a local file system. */
int file_stamp_is_local(int fd);

#endif
