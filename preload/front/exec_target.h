/* SPDX-License-Identifier: MIT */
/*
 * Finds the loader of a program that is about to be executed. The loader of a
 * 32-bit program, for example, prints an error on stderr if LD_PRELOAD names a
 * 64-bit library.
 *
 * All functions are as safe in signal handlers, and in a child of vfork(), as
 * exec is, and preserve errno. For a file that cannot be read they assume
 * glibc's loader.
 */
#ifndef CLEW_FRONT_EXEC_TARGET_H
#define CLEW_FRONT_EXEC_TARGET_H

/*
 * Returns whether the loader of the program, or of a script's interpreter, is
 * neither glibc's nor musl's.
 */
int exec_target_is_foreign(const char *path);
int exec_target_is_foreign_at(int fd); /* for an open file, which stays open */

/*
 * Like the above, for a name that is searched in PATH unless it contains a
 * slash.
 */
int exec_target_is_foreign_by_name(const char *file);

#endif
