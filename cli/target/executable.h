/* SPDX-License-Identifier: MIT */
/*
 * Checks whether a program can be recorded.
 *
 * The dynamic loaders of glibc and musl can load libclew.so by LD_PRELOAD.
 * Programs without a loader, or with changed rights (AT_SECURE), ignore this
 * variable, and the loader of another C library or machine fails. This check
 * finds such a reason before the program is started.
 */
#ifndef CLEW_CLI_TARGET_EXECUTABLE_H
#define CLEW_CLI_TARGET_EXECUTABLE_H

/*
 * Stores the file that execvp(name) would execute in *path, which the caller
 * frees. Returns 0; -ENOENT; or -EACCES if the file may not be executed.
 */
int executable_find(const char *name, char **path);

/*
 * Returns whether the file starts like an ELF file, for any machine; 0 if it
 * cannot be read.
 */
int executable_is_elf(const char *path);

/*
 * Returns whether a loader's file name (without a folder) is that of musl's
 * loader.
 */
int executable_is_musl_loader(const char *name);

/* Returns whether the program in this file requests musl's loader. */
int executable_is_for_musl(const char *path);

/*
 * Returns the path of the program that executing `path` would load: `path`
 * itself, or the interpreter if the file begins with "#!". An interpreter that
 * is a script is followed too, up to 5 interpreters in all. For "#!/usr/bin/env
 * NAME", the interpreter is the file that env finds. The caller frees the
 * result.
 */
char *executable_program(const char *path);

/*
 * Returns a message that says why libclew.so cannot be loaded into this
 * program, or NULL if its file shows no reason or cannot be read. For a script,
 * checks its interpreter. The caller frees the message.
 */
char *executable_obstacle(const char *path);

#endif
