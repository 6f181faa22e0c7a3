/* SPDX-License-Identifier: MIT */
/* A file that takes another's place when it is whole, and not before. */
#ifndef CLEW_CLI_COMMON_REPLACEMENT_H
#define CLEW_CLI_COMMON_REPLACEMENT_H

#include <stdio.h>

#include "cli/common/recording_readers.h"

struct replacement {
	char *path;      /* what is to be there in the end */
	char *temporary; /* beside it; NULL: path is a device or a pipe */
	FILE *out;
};

/* Nobody who may not read the recording may read the file. 0, or -errno and *why. */
int replacement_begin(struct replacement *replacement, const char *path,
		      const struct recording_readers *readers, char **why);

/*
 * Puts the file in its place. 0, or -errno and *why if all of it could not be
 * written: then what was there before is there still.
 */
int replacement_commit(struct replacement *replacement, char **why);

void replacement_revert(struct replacement *replacement);

#endif
