/* SPDX-License-Identifier: MIT */
/* Who besides its owner may read a recording, and so what is made from it. */
#ifndef CLEW_CLI_COMMON_RECORDING_READERS_H
#define CLEW_CLI_COMMON_RECORDING_READERS_H

#include <sys/types.h>

struct recording_readers {
	int group; /* the group `gid` may read it */
	gid_t gid;
	int others;
};

/*
 * Who may read a recording's folder and all its parts, or one part; and who may read both
 * of two recordings. Nobody may read what is not there.
 */
struct recording_readers recording_readers(const char *path);
struct recording_readers recording_readers_of_both(const char *path,
						   const char *other);

/* Sets the mode of a new file: as open(2) would, less who may not read the recording. */
void recording_readers_apply(const struct recording_readers *readers, int fd);

#endif
