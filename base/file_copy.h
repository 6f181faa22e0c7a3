/* SPDX-License-Identifier: MIT */
/* Copies files. */
#ifndef CLEW_BASE_FILE_COPY_H
#define CLEW_BASE_FILE_COPY_H

#include <sys/types.h>

/*
 * Copies all of `from` to `to`, which is empty; holes stay holes. If `from` is
 * truncated meanwhile, the rest is a hole. Returns 0 or -errno; closes neither.
 */
int file_copy(int from, int to);

/* Copies the bytes before `end`, which becomes the size of `to`. */
int file_copy_until(int from, int to, off_t end);

#endif
