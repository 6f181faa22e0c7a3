/* SPDX-License-Identifier: MIT */
/*
 * Opening files whose names come from someone else: a recording, or a folder that others
 * may write to. open(2) of a FIFO may wait for ever, and open(2) of a device may act: it
 * starts a watchdog, or rewinds a tape. So nothing is opened that is not a regular file.
 */
#ifndef CLEW_BASE_REGULAR_FILE_H
#define CLEW_BASE_REGULAR_FILE_H

#include <stdio.h>

/*
 * Opens a regular file as openat(2) does; O_CLOEXEC and O_NOCTTY are added to `flags`.
 * Returns a descriptor, or -errno: -EINVAL for anything but a regular file.
 */
int regular_file_open_at(int folder, const char *path, int flags);

/* The same, for a path from the current folder. */
int regular_file_open(const char *path, int flags);

/* Opens a regular file to be read as a stream. NULL, with errno set, if that fails. */
FILE *regular_file_stream(const char *path);

#endif
