/* SPDX-License-Identifier: MIT */
/* See README.md. */
#ifndef CLEW_OLDER_SYS_MMAN_H
#define CLEW_OLDER_SYS_MMAN_H

#include_next <sys/mman.h>

/* glibc 2.32, Linux 5.7 */
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

#endif
