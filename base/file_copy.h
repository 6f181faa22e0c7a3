/* SPDX-License-Identifier: MIT */
/* Files to files. */
#ifndef CLEW_BASE_FILE_COPY_H
#define CLEW_BASE_FILE_COPY_H

/*
 * All of `from` into `to`, which is empty: holes stay holes. Where it is cut short meanwhile, the
 * rest is a hole, too. 0 or -errno; neither is closed.
 */
int file_copy(int from, int to);

#endif
