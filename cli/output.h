/* SPDX-License-Identifier: MIT */
/* The directory that a recording goes to. */
#ifndef CLEW_CLI_OUTPUT_H
#define CLEW_CLI_OUTPUT_H

#include <sys/types.h>

/*
 * Makes a fresh directory at `path` with this config in it, and stores its
 * absolute path, to be freed, in *absolute. A recording that is there becomes
 * PATH.old, in place of an older PATH.old; whatever else is there stays.
 * 0, or -errno and *why: -EEXIST if something is there that is no recording.
 */
int output_create(const char *path, const char *config, char **absolute,
		  char **why);

/* Gives a recording, of which nothing is recorded yet, to another user. 0 or -errno. */
int output_give(const char *path, uid_t user);

/* Removes a recording, and nothing else. 0, also if nothing is there, or -errno. */
int output_remove(const char *path);

/* Whether making a recording at `path` would move or remove what is at `other`. */
int output_endangers(const char *path, const char *other);

/* PATH.old, also for "PATH/". free() it. */
char *output_old_name(const char *path);

#endif
