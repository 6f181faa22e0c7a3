/* SPDX-License-Identifier: MIT */
/* Copies files. */
#ifndef CLEW_BASE_FILE_COPY_H
#define CLEW_BASE_FILE_COPY_H

#include <sys/types.h>

/*
 * Copies all of the file `from` to the file `to`, which is empty; holes stay
 * holes. If another process truncates `from` meanwhile, the rest of `to` is a
 * hole. Both descriptors stay open. Returns 0 or -errno.
 */
int file_copy(int from, int to);

/*
 * Like file_copy(), for the bytes before offset `end`, which becomes the size
 * of `to`.
 */
int file_copy_until(int from, int to, off_t end);

#endif
