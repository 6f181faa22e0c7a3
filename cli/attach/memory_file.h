/* SPDX-License-Identifier: MIT */
/*
 * A file in memory of a process (memfd_create()), from which the process loads
 * a library of clew's if it has no folder for it: its root directory is
 * read-only, or all its writable folders are mounted noexec. The file has the
 * name of the library, such as "libclew.so".
 *
 * The process creates the file in a thread that clew has stopped, and clew
 * writes it. If clew is killed meanwhile, the descriptor stays open in the
 * process, until it executes a program; a later clew uses the same descriptor.
 */
#ifndef CLEW_CLI_ATTACH_MEMORY_FILE_H
#define CLEW_CLI_ATTACH_MEMORY_FILE_H

#include "cli/attach/attaching.h"

/*
 * Creates the file in the process, or finds the one of an earlier clew. Returns
 * the process's descriptor, or -errno and *why.
 */
int memory_file_make(struct attaching *attaching, const char *name, char **why);

/*
 * Replaces the file's contents by those of the file `from`, a path of clew's.
 * Writes only to a file in memory: a hostile process could have put another
 * file there. Returns 0, or -errno and *why.
 */
int memory_file_write(const struct attaching *attaching, int number,
		      const char *from, char **why);

/* Closes the process's descriptor. Returns 0, or -errno and *why. */
int memory_file_close(struct attaching *attaching, int number, char **why);

/*
 * Closes the descriptor that a killed clew has left, if there is one. Returns
 * 0, or -errno and *why.
 */
int memory_file_close_left(struct attaching *attaching, const char *name,
			   char **why);

/*
 * Returns a path by which the process can open the file, which the caller
 * frees. The paths of different attempts differ: if the loader has loaded
 * another file by a path, it does not open the path again.
 */
char *memory_file_path(int number, int attempt);

#endif
