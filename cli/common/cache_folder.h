/* SPDX-License-Identifier: MIT */
/* The folder in which analyses of modules are cached. */
#ifndef CLEW_CLI_COMMON_CACHE_FOLDER_H
#define CLEW_CLI_COMMON_CACHE_FOLDER_H

#include <sys/types.h>

/*
 * Returns the path of the user's own folder, which need not exist: clew in
 * $XDG_CACHE_HOME or, if that is no absolute path, in .cache of home_folder().
 * Returns NULL if there is neither. The caller frees the path.
 */
char *cache_folder(void);

/*
 * Returns $HOME if it is the absolute path of an existing folder, or NULL. clew
 * creates no home directory: daemons often have one that does not exist.
 */
const char *home_folder(void);

/* Creates a folder and its missing parents. Ignores errors. */
void cache_folder_make(const char *path, mode_t mode);

#endif
