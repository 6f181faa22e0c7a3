/* SPDX-License-Identifier: MIT */
/* Declarations that makers.c and its library share. */
#ifndef CLEW_TESTS_MAKERS_H
#define CLEW_TESTS_MAKERS_H

#include <stddef.h>

/* Make memory executable, or map executable memory at an address. */
void library_protect(void *start, size_t bytes);
void library_map_at(void *place, size_t bytes);

#endif
