/* SPDX-License-Identifier: MIT */
/*
 * Finds the loader of a program that is about to be executed. musl's loader,
 * for example, ends the program if LD_PRELOAD names a library built for glibc;
 * the loader of a 32-bit program prints an error on stderr.
 *
 * All functions are as safe in signal handlers, and in a child of vfork(), as
 * exec is, and preserve errno. For a file that cannot be read they assume
 * glibc's loader.
 */
#ifndef CLEW_FRONT_EXEC_TARGET_H
#define CLEW_FRONT_EXEC_TARGET_H

/*
 * Returns whether the loader of the program, or of a script's interpreter, is
 * not glibc's.
 */
int exec_target_is_foreign(const char *path);
int exec_target_is_foreign_at(int fd); /* for an open file, which stays open */

/*
 * Like the above, for a name that is searched in PATH unless it contains a
 * slash.
 */
int exec_target_is_foreign_by_name(const char *file);

#endif
