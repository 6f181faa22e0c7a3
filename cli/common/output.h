/* SPDX-License-Identifier: MIT */
/*
 * The directory that a recording is written to.
 *
 * A command that fails must not destroy the user's earlier recording. Therefore
 * the recording at PATH is first renamed to PATH.before, and PATH.old remains.
 * Once the command has recorded something, output_keep() renames PATH.before to
 * PATH.old. If the command fails, output_undo() renames PATH.before back to
 * PATH. If the command is killed in between, the next command does so.
 */
#ifndef CLEW_CLI_COMMON_OUTPUT_H
#define CLEW_CLI_COMMON_OUTPUT_H

#include <sys/types.h>

struct output {
	/* The path as the user named it, or NULL if there is none. */
	char *path;
	char *directory; /* Absolute path. */
	/*
	 * Descriptor of the directory, which holds the lock against other
	 * commands; -1 if there is none.
	 */
	int lock;
	int has_before; /* PATH.before is the former PATH. */
};

/*
 * Creates a new directory at `path` with the config in it. A recording or an
 * empty directory at `path` becomes PATH.before. Anything else stays, and
 * -EEXIST is returned. Returns 0, or -errno and *why.
 */
int output_create(struct output *output, const char *path, const char *config,
		  char **why);

/*
 * Keeps the recording: PATH.before replaces PATH.old. If PATH.before has no
 * part and no note about a process, it is removed instead. May be repeated.
 * Returns 0, or -errno and *why.
 */
int output_keep(struct output *output, char **why);

/*
 * Removes the new directory, and renames PATH.before back to PATH. Does nothing
 * if another program has renamed or removed the directory, because PATH then is
 * not ours.
 */
void output_undo(struct output *output);

/* Returns whether the directory is still at its path. */
int output_is_in_place(const struct output *output);

/*
 * Returns the directory's present path, because another program may have
 * renamed it, or NULL if it was removed. The caller frees the path.
 */
char *output_place(const struct output *output);

/* Releases the lock. Changes no file. */
void output_fini(struct output *output);

/* Gives a new, empty recording to another user. Returns 0 or -errno. */
int output_give(const char *path, uid_t user);

/*
 * Renames PATH.1 to PATH.2 and so on, removes PATH.keep, and renames `newest`
 * to PATH.1. Changes nothing if a file exists at one of these numbered paths
 * and is neither a recording nor an empty directory. Returns 0, or -errno and
 * *why.
 */
int output_rotate(const char *path, const char *newest, unsigned int keep,
		  char **why);

/*
 * Removes a recording or an empty directory, and nothing else. If the process
 * is killed meanwhile, the remains are again one of these. Returns 0, also if
 * nothing exists, or -errno.
 */
int output_remove(const char *path);

/*
 * Returns whether creating a recording at `path` would move or remove `other`.
 */
int output_endangers(const char *path, const char *other);

#endif
