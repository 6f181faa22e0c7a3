/* SPDX-License-Identifier: MIT */
/*
 * Users who may read a recording, and therefore files that are created from it.
 */
#ifndef CLEW_CLI_COMMON_RECORDING_READERS_H
#define CLEW_CLI_COMMON_RECORDING_READERS_H

#include <sys/types.h>

struct recording_readers {
	int group; /* Members of `gid` may read it. */
	gid_t gid;
	int others;
};

/*
 * recording_readers() returns who may read the recording at `path`: its folder
 * and all its parts, or the part that `path` names. recording_readers_of_both()
 * returns who may read two recordings. If a file cannot be examined, no group
 * and no others may read it.
 */
struct recording_readers recording_readers(const char *path);
struct recording_readers recording_readers_of_both(const char *path,
						   const char *other);

/*
 * Sets the mode of a new file: as open(2) would, without users who cannot read
 * the recording.
 */
void recording_readers_apply(const struct recording_readers *readers, int fd);

#endif
