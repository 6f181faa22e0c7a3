/* SPDX-License-Identifier: MIT */
/* See README.md. */
#ifndef CLEW_OLDER_ELF_H
#define CLEW_OLDER_ELF_H

#include_next <elf.h>

/* glibc 2.36 */
#ifndef DT_RELR
#define DT_RELRSZ 35
#define DT_RELR   36
#endif

#endif
