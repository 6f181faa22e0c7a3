/* SPDX-License-Identifier: MIT */
/*
 * Files in which a process announced the code that it generated, in the formats
 * of perf: a perf map, by the name perf-PID.map, and a jitdump, jit-PID.dump.
 *
 * Runtimes write them to temporary folders, from which they go. A recording
 * keeps a copy beside the part of the process image that wrote it:
 *
 *	PID.SEQ.perfmap, PID.SEQ.jitdump
 *
 * What is not kept, as nobody has had the time to, is looked for where it was
 * written. There only a file is believed that could be no one else's: a regular
 * one, no symbolic link, of our own user, last written while the image ran.
 */
#ifndef CLEW_RECORDING_ANNOUNCED_H
#define CLEW_RECORDING_ANNOUNCED_H

#include "report/recording/recording_reader.h"

enum announced { ANNOUNCED_MAP, ANNOUNCED_JITDUMP, ANNOUNCED_COUNT };

/*
 * Opens the file for reading, the kept copy before any other. A file
 * descriptor, or -ENOENT, or what else the system said.
 */
int announced_open(const struct recording *recording,
		   const struct part_copy *part, enum announced kind);

/*
 * Copies it to a new file beside the part at `part_path`, where there is one
 * and it is not kept yet. 0, also if there is nothing to copy, or -errno and
 * *why.
 */
int announced_keep(const struct recording *recording,
		   const struct part_copy *part, enum announced kind,
		   const char *part_path, char **why);

#endif
