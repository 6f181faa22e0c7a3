/* SPDX-License-Identifier: MIT */
/*
 * Copies the recording of a running process. A part is valid at every moment,
 * so it is copied while the process writes to it. Parts of earlier images of
 * the process and of its ancestors are copied too.
 */
#ifndef CLEW_CLI_TARGET_SNAPSHOT_H
#define CLEW_CLI_TARGET_SNAPSHOT_H

/*
 * Writes a snapshot of the process that counts in the file `part` of the
 * recording `from` to the folder `output`. Stores the snapshot's absolute path
 * in *directory, which the caller frees. Returns 0, or -errno and *why.
 */
int snapshot_make(const char *from, const char *part, const char *output,
		  char **directory, char **why);

#endif
