/* SPDX-License-Identifier: MIT */
/*
 * Can this program be recorded at all?
 *
 * LD_PRELOAD works through the dynamic loader of the C library that libclew.so
 * was built for. A program that has no such loader, or that the loader runs in
 * secure mode, ignores it at best; a foreign loader refuses to start. Better
 * to know before, and to say why.
 */
#ifndef CLEW_CLI_TARGET_EXECUTABLE_H
#define CLEW_CLI_TARGET_EXECUTABLE_H

/*
 * The file that execvp(name) would run, to be freed, in *path. 0, -ENOENT, or
 * -EACCES if there is one that may not be run.
 */
int executable_find(const char *name, char **path);

/* Whether the file begins as an ELF file does, of whatever machine. */
int executable_is_elf(const char *path);

/* Whether a loader of this name, without its folder, is musl's. */
int executable_is_musl_loader(const char *name);

/*
 * What would be loaded: the file itself, or what runs it, if it begins with "#!".
 * free() it.
 */
char *executable_program(const char *path);

/*
 * Why the runtime cannot be loaded into this program, or NULL if it can, as
 * far as its file tells. Follows "#!". free() it.
 */
char *executable_obstacle(const char *path);

#endif
