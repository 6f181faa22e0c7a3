/* SPDX-License-Identifier: MIT */
/* The mappings of this process, by /proc/self/maps. */
#ifndef CLEW_SYS_MAPPINGS_H
#define CLEW_SYS_MAPPINGS_H

#include <stdint.h>

struct mapped_range {
	uint64_t start, end;
	uint64_t offset; /* in the file */
	/* major << 32 | minor, as in /proc/self/maps; 0 if no file is mapped */
	uint64_t device;
	uint64_t inode;
	int protection;
	int is_shared;
};

/*
 * Calls `each` for each mapping, by address, until it returns nonzero. Returns
 * that value, 0, or -errno. Mappings may change meanwhile.
 */
int mappings_each(int (*each)(void *context,
			      const struct mapped_range *mapping),
		  void *context);

/*
 * Finds the mapping that contains an address, in a time that hardly depends on
 * the number of mappings. `fd` is an open /proc/self/maps. Returns 0; -ENOENT
 * if nothing is mapped there; -ENOTTY before Linux 6.11; or another -errno.
 */
int mappings_find(int fd, uint64_t at, struct mapped_range *mapping);

#endif
