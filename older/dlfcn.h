/* SPDX-License-Identifier: MIT */
/* See README.md. */
#ifndef CLEW_OLDER_DLFCN_H
#define CLEW_OLDER_DLFCN_H

#include_next <dlfcn.h>

#include <stdint.h>

/* glibc 2.35 */
#if !__GLIBC_PREREQ(2, 35)
struct dl_find_object {
	unsigned long long dlfo_flags;
	void *dlfo_map_start;
	void *dlfo_map_end;
	struct link_map *dlfo_link_map;
	void *dlfo_eh_frame;
	unsigned long long reserved[7];
};

int _dl_find_object(void *pc, struct dl_find_object *result);
#endif

/* glibc 2.36 */
#if !__GLIBC_PREREQ(2, 36)
#define RTLD_DI_PHDR 11
#endif

#endif
