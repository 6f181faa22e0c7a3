/* SPDX-License-Identifier: MIT */
/* See README.md. */
#ifndef CLEW_OLDER_LINUX_LANDLOCK_H
#define CLEW_OLDER_LINUX_LANDLOCK_H

#if __has_include_next(<linux/landlock.h>)
#include_next <linux/landlock.h>
#else

/* Linux 5.13 */
#include <linux/types.h>

struct landlock_ruleset_attr {
	__u64 handled_access_fs;
};

struct landlock_path_beneath_attr {
	__u64 allowed_access;
	__s32 parent_fd;
} __attribute__((packed));

#define LANDLOCK_RULE_PATH_BENEATH     1

#define LANDLOCK_ACCESS_FS_EXECUTE     (1ULL << 0)
#define LANDLOCK_ACCESS_FS_WRITE_FILE  (1ULL << 1)
#define LANDLOCK_ACCESS_FS_REMOVE_DIR  (1ULL << 4)
#define LANDLOCK_ACCESS_FS_REMOVE_FILE (1ULL << 5)
#define LANDLOCK_ACCESS_FS_MAKE_CHAR   (1ULL << 6)
#define LANDLOCK_ACCESS_FS_MAKE_DIR    (1ULL << 7)
#define LANDLOCK_ACCESS_FS_MAKE_REG    (1ULL << 8)
#define LANDLOCK_ACCESS_FS_MAKE_SOCK   (1ULL << 9)
#define LANDLOCK_ACCESS_FS_MAKE_FIFO   (1ULL << 10)
#define LANDLOCK_ACCESS_FS_MAKE_BLOCK  (1ULL << 11)
#define LANDLOCK_ACCESS_FS_MAKE_SYM    (1ULL << 12)

#endif

#endif
