/* SPDX-License-Identifier: MIT */
/*
 * Code that the compiler links into most modules for their start and end:
 * crtbegin.o's four functions, in one piece, and the sections .init and .fini.
 * This code has no unwind information, and no symbols in stripped modules.
 */
#ifndef CLEW_IMAGE_STARTUP_H
#define CLEW_IMAGE_STARTUP_H

#include <stdint.h>

#include "image/image.h"

/* Returns the size of crtbegin.o's code if it begins at vaddr, else 0. */
uint64_t startup_bytes(const struct image *image, uint64_t vaddr);

/* Returns whether .init or .fini begins at vaddr, by the loader's data. */
int startup_is_init(const struct image *image, uint64_t vaddr);

/*
 * Returns the address of main(), which glibc's crt1.o passes on at the
 * program's entry; 0 if that code is not found, as in libraries and in programs
 * of other C libraries.
 */
uint64_t startup_main(const struct image *image);

#endif
