/* SPDX-License-Identifier: MIT */
/*
 * The names of files that appear in a folder.
 *
 * While the folder has few files, its entries are read at each call. A watch of
 * the kernel is made when there are more, because closing one takes up to 20 ms
 * (fsnotify waits for readers of its lists), which a short program should not
 * pay for.
 */
#ifndef CLEW_BASE_NEW_FILES_H
#define CLEW_BASE_NEW_FILES_H

struct new_files;

/* Returns NULL, with errno set, if the folder cannot be opened. */
struct new_files *new_files_begin(const char *folder);

/*
 * Calls `found` with the name of each file that has appeared since
 * new_files_begin(), once for each name. Names that begin with '.' are left out.
 */
void new_files_each(struct new_files *files,
		    void (*found)(void *context, const char *name),
		    void *context);

/* Does nothing if `files` is NULL. */
void new_files_end(struct new_files *files);

#endif
