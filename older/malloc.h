/* SPDX-License-Identifier: MIT */
/* See README.md. */
#ifndef CLEW_OLDER_MALLOC_H
#define CLEW_OLDER_MALLOC_H

#include_next <malloc.h>

/* glibc 2.33 */
#if !__GLIBC_PREREQ(2, 33)
#define mallinfo2 mallinfo
#endif

#endif
