/* SPDX-License-Identifier: MIT */
/*
 * exec: the programs that the target starts are recorded too.
 *
 * They are as long as they inherit our two environment variables. For a target
 * that gives them an environment of its own, exec.c stands in front of libc's
 * exec and posix_spawn functions and adds what is missing. Where our library
 * is out of reach, as after chroot(), it takes both out.
 */
#ifndef CLEW_FRONT_EXEC_H
#define CLEW_FRONT_EXEC_H

/* Remember our variables, to hand them on. Once, before main; calls libc. */
void exec_keep_environment(char **environment);

/* Take our variables out instead, so that nothing is handed on. */
void exec_clean_environment(char **environment);

#endif
