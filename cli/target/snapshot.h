/* SPDX-License-Identifier: MIT */
/*
 * Copies the recording of a running process. A part can be read at any moment,
 * so it is copied as it is, with those of earlier images of the process and of
 * its ancestors.
 */
#ifndef CLEW_CLI_TARGET_SNAPSHOT_H
#define CLEW_CLI_TARGET_SNAPSHOT_H

/*
 * Writes a snapshot to `output`, of a process that counts in `part` in the
 * directory `from`. Stores its absolute path in *directory, which the caller
 * frees. Returns 0, or -errno and *why.
 */
int snapshot_make(const char *from, const char *part, const char *output,
		  char **directory, char **why);

#endif
