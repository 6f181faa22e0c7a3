/* SPDX-License-Identifier: MIT */
/*
 * Digests of files that were read before: FOLDER/STAMP.stamp, a symbolic link
 * whose target is the digest in hexadecimal digits. STAMP is a digest of what
 * the kernel said of the file (file_stamp.h). A link is found with one system
 * call, is never half written, and takes one inode.
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

/* 0, or -errno: -ENOENT if the digest is not known, or is not to be believed. */
int digest_link_find(const char *folder, const struct file_stamp *stamp,
		     uint8_t digest[DIGEST_BYTES]);

/*
 * Stores the digest that a file had after `stamp` was taken. A failure costs the
 * next one time only.
 */
void digest_link_keep(const char *folder, const struct file_stamp *stamp,
		      const uint8_t digest[DIGEST_BYTES]);

/*
 * The owner of a folder that nobody but root, this user and that owner can write
 * to, who is one of the first two. 0, or -errno: -EPERM if others can.
 */
int digest_folder_owner(const char *folder, uint32_t *owner);

/* 2 * count digits, and a NUL. */
void digest_text(const uint8_t *bytes, size_t count, char *text);

#endif
