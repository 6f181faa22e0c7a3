/* SPDX-License-Identifier: MIT */
/*
 * What the compiler links into every module for its start and its end:
 * crtbegin.o's four functions, in one piece, and the sections .init and .fini.
 * None of it has unwind information, and stripped modules do not name it.
 */
#ifndef CLEW_IMAGE_STARTUP_H
#define CLEW_IMAGE_STARTUP_H

#include <stdint.h>

#include "image/image.h"

/* Bytes of crtbegin.o's code that begins at vaddr; 0 if it does not. */
uint64_t startup_bytes(const struct image *image, uint64_t vaddr);

/* Whether vaddr is where .init or .fini begins, as the loader knows them. */
int startup_is_init(const struct image *image, uint64_t vaddr);

/*
 * Where main() is, by what glibc's crt1.o passes on from where the program is entered;
 * 0 if that is not there, as in libraries and in programs of other C libraries.
 */
uint64_t startup_main(const struct image *image);

#endif
