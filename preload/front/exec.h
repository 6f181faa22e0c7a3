/* SPDX-License-Identifier: MIT */
/*
 * exec: programs that the target starts are also recorded.
 *
 * That is so if they inherit two environment variables of clew. If the target
 * passes another environment, the fronts of libc's exec and posix_spawn
 * functions add the missing variables. If the library cannot be reached, as
 * after chroot(), they remove both.
 */
#ifndef CLEW_FRONT_EXEC_H
#define CLEW_FRONT_EXEC_H

/*
 * Stores clew's variables, to pass them on. Called once, before main; calls
 * libc.
 */
void exec_keep_environment(char **environment);

/* Removes clew's variables instead, so that they are not passed on. */
void exec_clean_environment(char **environment);

#endif
