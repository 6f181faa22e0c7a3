/* SPDX-License-Identifier: MIT */
/*
 * Whose loader a program has that is about to be executed. musl's, for one, ends the program
 * where it is told to preload a library that was built for glibc; that of a 32-bit program
 * says on stderr that it cannot.
 *
 * All are as safe in handlers, and in the child of a vfork, as exec is, and leave errno
 * alone. A file that cannot be read has glibc's, for all that is known.
 */
#ifndef CLEW_FRONT_EXEC_TARGET_H
#define CLEW_FRONT_EXEC_TARGET_H

/* Whether the loader is another than glibc's, of the program itself or of what runs a script. */
int exec_target_is_foreign(const char *path);
int exec_target_is_foreign_at(int fd); /* of an open file, which stays open */

/* Of a name that is looked for along PATH, unless there is a slash in it. */
int exec_target_is_foreign_by_name(const char *file);

#endif
