/* SPDX-License-Identifier: MIT */
/* What makers.c and its library know of each other. */
#ifndef CLEW_TESTS_MAKERS_H
#define CLEW_TESTS_MAKERS_H

#include <stddef.h>

/* Makes memory executable, or maps such memory there. */
void library_protect(void *start, size_t bytes);
void library_map_at(void *place, size_t bytes);

#endif
