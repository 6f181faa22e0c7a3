/* SPDX-License-Identifier: MIT */
/*
 * Stores digests of files: FOLDER/STAMP.stamp is a symbolic link whose target
 * is the digest in hexadecimal digits. STAMP is a digest of the kernel's data
 * about the file (file_stamp.h). Reading a link takes one system call; a link
 * is never incomplete, and takes one inode.
 *
 * Both functions ignore files that someone other than root and the folder's
 * owner could change, and folders that someone other than root and this user
 * could write to.
 */
#ifndef CLEW_DIGEST_DIGEST_LINKS_H
#define CLEW_DIGEST_DIGEST_LINKS_H

#include "digest/blake2b.h"
#include "digest/file_stamp.h"

#define DIGEST_LINK_SUFFIX ".stamp"

/*
 * Reads a digest. Returns 0, or -errno: -ENOENT if it is unknown, -EPERM for a
 * file or folder that is ignored.
 */
int digest_link_find(const char *folder, const struct file_stamp *stamp,
		     uint8_t digest[DIGEST_BYTES]);

/*
 * Stores the digest that a file had after `stamp` was taken. A failure only
 * means that it is computed again.
 */
void digest_link_keep(const char *folder, const struct file_stamp *stamp,
		      const uint8_t digest[DIGEST_BYTES]);

/*
 * Finds the owner of a folder, who must be root or this user. No other user
 * may write to it. Returns 0, or -errno: -EPERM if others may.
 */
int digest_folder_owner(const char *folder, uint32_t *owner);

/* Writes 2 * count digits, and a NUL. */
void digest_text(const uint8_t *bytes, size_t count, char *text);

#endif
