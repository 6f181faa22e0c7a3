/* SPDX-License-Identifier: MIT */
/* Files to files. */
#ifndef CLEW_BASE_FILE_COPY_H
#define CLEW_BASE_FILE_COPY_H

#include <sys/types.h>

/*
 * All of `from` into `to`, which is empty: holes stay holes. Where it is cut short meanwhile, the
 * rest is a hole, too. 0 or -errno; neither is closed.
 */
int file_copy(int from, int to);

/* The same of what is before `end`, which is where `to` ends then. */
int file_copy_until(int from, int to, off_t end);

#endif
