/* SPDX-License-Identifier: MIT */
/* Finds libclew.so. */
#ifndef CLEW_CLI_COMMON_LIBRARY_H
#define CLEW_CLI_COMMON_LIBRARY_H

#define LIBRARY_NAME "libclew.so"

/*
 * Stores an absolute path that LD_PRELOAD accepts in *path, which the caller
 * frees: $CLEW_LIBRARY, or the library next to this program, in the build tree
 * or as installed. Returns 0, or -errno and *why.
 */
int library_find(char **path, char **why);

/*
 * As library_find(), but fails if the library cannot be loaded. The dynamic
 * loader ends a program that preloads a truncated library. In other cases the
 * loader prints a line in the program.
 */
int library_find_loadable(char **path, char **why);

/*
 * Like library_find_loadable(), for the second library next to the first one,
 * `path`. It is for processes without free static thread-local storage
 * (attach_blocks.h).
 */
int library_find_in_blocks(const char *path, char **other, char **why);

/*
 * Like library_find(), for libclew-deputy.so next to the first library
 * (cli/deputy/deputy.h).
 */
int library_find_deputy(char **path, char **why);

#endif
