/* SPDX-License-Identifier: MIT */
/* Where libclew.so is. */
#ifndef CLEW_CLI_COMMON_LIBRARY_H
#define CLEW_CLI_COMMON_LIBRARY_H

#define LIBRARY_NAME "libclew.so"

/*
 * An absolute path that LD_PRELOAD takes, to be freed, in *path: that of
 * $CLEW_LIBRARY, or else of the library beside this program, built or
 * installed. 0, or -errno and *why.
 */
int library_find(char **path, char **why);

/*
 * The one beside that, for processes that have no static thread-local storage left
 * (attach_blocks.h). free() it.
 */
char *library_in_blocks(const char *path);

#endif
