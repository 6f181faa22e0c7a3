/* SPDX-License-Identifier: MIT */
/* What is mapped in this process: /proc/self/maps. */
#ifndef CLEW_SYS_MAPPINGS_H
#define CLEW_SYS_MAPPINGS_H

#include <stdint.h>

struct mapped_range {
	uint64_t start, end;
	uint64_t offset; /* in the file */
	uint64_t device; /* major << 32 | minor, as that file says; 0: none */
	uint64_t inode;
	int protection;
	int is_shared;
};

/*
 * Each mapping, by address, until `each` returns other than 0: that, 0, or -errno
 * where the kernel does not say. Other threads may change what is mapped meanwhile.
 */
int mappings_each(int (*each)(void *context,
			      const struct mapped_range *mapping),
		  void *context);

/*
 * Finds the mapping that contains an address, in a time that does not depend on how many
 * there are. `fd` is that of an open /proc/self/maps. 0; -ENOENT if nothing is mapped
 * there; -ENOTTY before Linux 6.11; or another -errno.
 */
int mappings_find(int fd, uint64_t at, struct mapped_range *mapping);

#endif
