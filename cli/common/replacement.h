/* SPDX-License-Identifier: MIT */
/* Writes a file that replaces another one only when it is complete. */
#ifndef CLEW_CLI_COMMON_REPLACEMENT_H
#define CLEW_CLI_COMMON_REPLACEMENT_H

#include <stdio.h>

#include "cli/common/recording_readers.h"

struct replacement {
	char *path; /* The final path. */
	/* Temporary file beside it; NULL if `path` is a device or a pipe. */
	char *temporary;
	FILE *out;
};

/*
 * Opens the new file, which only readers of the recording may read. A device or
 * pipe at `path` is opened itself and not replaced. Returns 0, or -errno and
 * *why.
 */
int replacement_begin(struct replacement *replacement, const char *path,
		      const struct recording_readers *readers, char **why);

/*
 * Moves the file to its final path. Returns 0; or -errno and *why if not all
 * could be written, and then the former file remains.
 */
int replacement_commit(struct replacement *replacement, char **why);

/* Discards the new file; the former file remains. */
void replacement_revert(struct replacement *replacement);

#endif
