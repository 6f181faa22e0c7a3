/* SPDX-License-Identifier: MIT */
/*
 * Whether a file of a recording may still be written to.
 *
 * The pid says nothing about processes of other pid namespaces. The lease says
 * nothing about processes that have a file of a stacked file system mapped.
 * Therefore a file is changed only if neither finds a process.
 */
#ifndef CLEW_CLI_RECORDING_FILE_WRITERS_H
#define CLEW_CLI_RECORDING_FILE_WRITERS_H

#include <sys/types.h>

/* Returns whether a process with this pid exists. */
int process_is_alive(pid_t pid);

/*
 * Returns whether a process has the file open or mapped for writing: the kernel
 * then grants no read lease. Returns true if in doubt; errno is EAGAIN if there
 * is such a process, as far as the kernel knows. While the file is
 * leased, this process gets SIGIO if another one opens it; the caller must
 * ignore or block that signal.
 */
int file_is_written(int fd);

#endif
