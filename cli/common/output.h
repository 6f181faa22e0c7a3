/* SPDX-License-Identifier: MIT */
/*
 * The directory that a recording goes to.
 *
 * A command that fails must not cost the recording that its user has. So the recording
 * at PATH is renamed to PATH.before first, and PATH.old stays. Once the command has
 * recorded something, output_keep() renames PATH.before to PATH.old; if it fails,
 * output_undo() renames it back to PATH. If the command is killed in between, the next
 * one does that.
 */
#ifndef CLEW_CLI_COMMON_OUTPUT_H
#define CLEW_CLI_COMMON_OUTPUT_H

#include <sys/types.h>

struct output {
	char *path;      /* as it was named; NULL: there is none */
	char *directory; /* its absolute path */
	int lock;        /* that no other command records there; -1: none */
	int has_before;  /* PATH.before is what was at PATH */
};

/*
 * Makes a fresh directory at `path` with this config in it. A recording or an empty
 * directory at `path` becomes PATH.before; anything else stays. 0, or -errno and *why:
 * -EEXIST if `path` is something else.
 */
int output_create(struct output *output, const char *path, const char *config,
		  char **why);

/*
 * The recording is there to stay: PATH.before replaces PATH.old. An empty directory,
 * and a recording of nothing, are removed instead. May be repeated. 0, or -errno and
 * *why.
 */
int output_keep(struct output *output, char **why);

/*
 * Removes the new directory, and renames PATH.before back to PATH. Does nothing if another
 * program has renamed or removed the directory: what is at PATH then is not ours.
 */
void output_undo(struct output *output);

/* Whether the directory is where it was made, and not renamed or removed. */
int output_is_in_place(const struct output *output);

/*
 * Where the directory is now: another program may have renamed it. NULL if it was removed.
 * free() it.
 */
char *output_place(const struct output *output);

/* Ends the lock, and changes no file. */
void output_fini(struct output *output);

/* Gives a recording, of which nothing is recorded yet, to another user. 0 or -errno. */
int output_give(const char *path, uid_t user);

/*
 * Removes a recording or an empty directory, and nothing else. If it is killed, what is
 * left is either of them. Returns 0, also if nothing is there, or -errno.
 */
int output_remove(const char *path);

/* Whether making a recording at `path` would move or remove what is at `other`. */
int output_endangers(const char *path, const char *other);

#endif
