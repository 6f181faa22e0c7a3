/* SPDX-License-Identifier: MIT */
/*
 * Lets a JVM that clew may not trace run the command of clew.
 *
 * The kernel may deny clew to trace a process of the same user: because of
 * kernel.yama.ptrace_scope=1, because the process has more capabilities, or
 * because of a system call filter of clew's own container. The JVM loads
 * libclew-deputy.so (java_socket.h), which starts the same command again, the
 * deputy. The deputy has the JVM's rights, and the JVM permits that the deputy
 * traces it. The deputy uses the files, the environment and the working
 * directory of the command that the user has started, which only waits, passes
 * on signals, and returns the deputy's exit status.
 */
#ifndef CLEW_CLI_DEPUTY_DEPUTY_H
#define CLEW_CLI_DEPUTY_DEPUTY_H

#include <sys/types.h>

/*
 * Returns whether clew cannot trace the process, and the process is a JVM of
 * clew's user, with the same files and process ids, that accepts requests. If
 * another command of clew has started this one by a JVM, returns 0.
 */
int deputy_is_useful(pid_t pid);

/*
 * Lets the process run this command; argv[0] is "clew NAME". Unless
 * is_quiet, prints a line about it. Returns the exit status of the command, or
 * that of failure after an error message.
 */
int deputy_run(pid_t pid, int argc, char **argv, int is_quiet);

/*
 * Called at the start of each command: if a JVM has started it, waits until the
 * other command permits it to begin, and exits if there is no other command. If
 * the other command ends later, SIGTERM arrives.
 */
void deputy_begin(void);

/* Reports the exit status to the other command, if there is one. */
void deputy_end(int status);

#endif
