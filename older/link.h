/* SPDX-License-Identifier: MIT */
/* See README.md. */
#ifndef CLEW_OLDER_LINK_H
#define CLEW_OLDER_LINK_H

#include_next <link.h>

/* glibc 2.35 */
#if !__GLIBC_PREREQ(2, 35)
struct r_debug_extended {
	struct r_debug base;
	struct r_debug_extended *r_next;
};
#endif

#endif
