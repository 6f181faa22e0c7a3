/* SPDX-License-Identifier: MIT */
/*
 * Lets clew record the programs that the target executes.
 *
 * A program can be recorded only if it inherits clew's two environment
 * variables. If the target passes another environment, clew's wrappers of the
 * exec and posix_spawn functions add missing variables. If the new program
 * cannot open the library, for example after chroot(), or has another loader
 * than glibc's, they remove both.
 */
#ifndef CLEW_FRONT_EXEC_H
#define CLEW_FRONT_EXEC_H

/*
 * Stores clew's variables, to pass them on. Called once, before main; calls
 * libc.
 */
void exec_keep_environment(char **environment);

/* Removes clew's variables from an environment. */
void exec_clean_environment(char **environment);

#endif
