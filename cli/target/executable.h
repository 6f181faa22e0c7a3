/* SPDX-License-Identifier: MIT */
/*
 * Checks whether a program can be recorded.
 *
 * LD_PRELOAD needs the dynamic loader of the C library that libclew.so was
 * built for. Programs without that loader, or in secure mode, ignore the
 * variable, and a foreign loader refuses to start. The check reports the reason
 * beforehand.
 */
#ifndef CLEW_CLI_TARGET_EXECUTABLE_H
#define CLEW_CLI_TARGET_EXECUTABLE_H

/*
 * Stores the file that execvp(name) would execute in *path, which the caller
 * frees. Returns 0; -ENOENT; or -EACCES if the file may not be executed.
 */
int executable_find(const char *name, char **path);

/* Returns whether the file starts like an ELF file, of any machine. */
int executable_is_elf(const char *path);

/* Returns whether a loader of this name, without its folder, is musl's. */
int executable_is_musl_loader(const char *name);

/*
 * Returns the file that would be loaded: the file itself, or its interpreter if
 * it begins with "#!". The caller frees the path.
 */
char *executable_program(const char *path);

/*
 * Returns why the runtime cannot be loaded into this program, or NULL, judging
 * by its file. Follows "#!". The caller frees the text.
 */
char *executable_obstacle(const char *path);

#endif
