/* SPDX-License-Identifier: MIT */
/* See digest_links.h. */
#include "digest/digest_links.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIGITS     ((size_t)2 * DIGEST_BYTES)
#define PATH_BYTES 4096

int digest_folder_owner(const char *folder, uint32_t *owner)
{
	struct stat st;

	if (stat(folder, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode) ||
	    (st.st_uid != 0 && st.st_uid != geteuid()) ||
	    st.st_mode & (S_IWGRP | S_IWOTH))
		return -EPERM;
	*owner = st.st_uid;
	return 0;
}

void digest_text(const uint8_t *bytes, size_t count, char *text)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		*text++ = digits[bytes[i] >> 4];
		*text++ = digits[bytes[i] & 15];
	}
	*text = '\0';
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int parse_digest(const char *text, uint8_t digest[DIGEST_BYTES])
{
	for (size_t i = 0; i < DIGEST_BYTES; i++) {
		const int high = digit_of(text[2 * i]);
		const int low = digit_of(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return -EBADMSG;
		digest[i] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

static void add_words(struct blake2b *hash, const struct file_stamp *stamp)
{
	const uint64_t words[] = {
		stamp->device,
		stamp->inode,
		stamp->bytes,
		(uint64_t)stamp->changed_s,
		(uint64_t)stamp->changed_ns,
		(uint64_t)stamp->attributed_s,
		(uint64_t)stamp->attributed_ns,
		stamp->owner,
		stamp->mode,
	};

	blake2b_add(hash, words, sizeof(words));
}

/* Builds the path of a stamp's link. Returns 0, or -errno if none may exist. */
static int path_of(const char *folder, const struct file_stamp *stamp,
		   char path[PATH_BYTES])
{
	const size_t length = strlen(folder);
	uint8_t name[DIGEST_BYTES];
	struct blake2b hash;
	uint32_t owner;
	int err = digest_folder_owner(folder, &owner);

	if (err)
		return err;
	if (!stamp->is_settled || !file_stamp_is_guarded(stamp, owner))
		return -EPERM;
	if (length + DIGITS + sizeof("/" DIGEST_LINK_SUFFIX) > PATH_BYTES)
		return -ENAMETOOLONG;
	blake2b_begin(&hash);
	add_words(&hash, stamp);
	blake2b_end(&hash, name);
	memcpy(path, folder, length + 1);
	path[length] = '/';
	digest_text(name, sizeof(name), path + length + 1);
	memcpy(path + length + 1 + DIGITS, DIGEST_LINK_SUFFIX,
	       sizeof(DIGEST_LINK_SUFFIX));
	return 0;
}

static int find(const char *folder, const struct file_stamp *stamp,
		uint8_t digest[DIGEST_BYTES])
{
	char path[PATH_BYTES], target[DIGITS + 1];
	int err = path_of(folder, stamp, path);
	ssize_t length;

	if (err)
		return err;
	length = readlink(path, target, sizeof(target));
	if (length < 0)
		return -errno;
	return (size_t)length == DIGITS ? parse_digest(target, digest)
					: -EBADMSG;
}

int digest_link_find(const char *folder, const struct file_stamp *stamp,
		     uint8_t digest[DIGEST_BYTES])
{
	const int errno_before = errno;
	int err = find(folder, stamp, digest);

	errno = errno_before;
	return err;
}

void digest_link_keep(const char *folder, const struct file_stamp *stamp,
		      const uint8_t digest[DIGEST_BYTES])
{
	const int errno_before = errno;
	char path[PATH_BYTES], target[DIGITS + 1];

	if (path_of(folder, stamp, path) == 0) {
		digest_text(digest, DIGEST_BYTES, target);
		symlink(target, path);
	}
	errno = errno_before;
}
