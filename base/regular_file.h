/* SPDX-License-Identifier: MIT */
/*
 * Opens files whose names come from other users, because the names are in a
 * recording, or the files in a folder to which other users may write. open(2)
 * of a FIFO may wait for ever, and open(2) of a device may have effects: it
 * starts a watchdog, or rewinds a tape. Therefore only regular files are
 * opened.
 */
#ifndef CLEW_BASE_REGULAR_FILE_H
#define CLEW_BASE_REGULAR_FILE_H

#include <stdio.h>

/*
 * Opens a regular file as openat(2) does, with O_CLOEXEC, O_NOCTTY and
 * O_NONBLOCK added to `flags`. Returns a descriptor, or -errno: -EINVAL for any
 * other kind of file.
 */
int regular_file_open_at(int folder, const char *path, int flags);

/* Like regular_file_open_at(), for a path relative to the current folder. */
int regular_file_open(const char *path, int flags);

/*
 * Opens a regular file for reading as a stream, which the caller must fclose().
 * Returns NULL, with errno set, on failure.
 */
FILE *regular_file_stream(const char *path);

#endif
