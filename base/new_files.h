/* SPDX-License-Identifier: MIT */
/* The names of files that appear in a folder. */
#ifndef CLEW_BASE_NEW_FILES_H
#define CLEW_BASE_NEW_FILES_H

/*
 * Begins to watch a folder for files that are created in it or moved to it.
 * Returns a descriptor, which the caller must close(), or -errno.
 */
int new_files_watch(const char *folder);

/*
 * Calls `found` with the name of each file that has appeared since the previous
 * call. If the kernel cannot keep all names, some are missing.
 */
void new_files_each(int watch_fd,
		    void (*found)(void *context, const char *name),
		    void *context);

#endif
