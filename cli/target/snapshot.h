/* SPDX-License-Identifier: MIT */
/*
 * A recording of what a process has done so far, which goes on: its part is copied
 * as it is, which it may be at any instant, with those of its other images and of
 * the processes that it was forked from.
 */
#ifndef CLEW_CLI_TARGET_SNAPSHOT_H
#define CLEW_CLI_TARGET_SNAPSHOT_H

/*
 * Makes one at `output` of a process that counts in `part`, in the directory `from`,
 * and stores its absolute path, to be freed, in *directory. 0, or -errno and *why.
 */
int snapshot_make(const char *from, const char *part, const char *output,
		  char **directory, char **why);

#endif
