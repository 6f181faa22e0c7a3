/* SPDX-License-Identifier: MIT */
/*
 * Files in which a process describes its generated code, in formats of perf: a
 * perf map, perf-PID.map, and a jitdump, jit-PID.dump.
 *
 * Runtimes write these files to temporary folders, where they are deleted
 * later. A recording therefore contains copies, next to the part of the process
 * image that has written the files:
 *
 *	PID.SEQ.perfmap, PID.SEQ.jitdump
 *
 * If there is no copy yet, the original file is used, but only if it surely
 * belongs to this process image: it must be a regular file and no symbolic
 * link, belong to the present user, and have been written last while the image
 * ran. If clew has attached to the process and the process still runs, it may
 * have been written at any time since the process began.
 */
#ifndef CLEW_RECORDING_ANNOUNCED_H
#define CLEW_RECORDING_ANNOUNCED_H

#include "report/recording/recording_reader.h"

enum announced { ANNOUNCED_MAP, ANNOUNCED_JITDUMP, ANNOUNCED_COUNT };

/*
 * Opens the copy or, if there is none, the original file for reading. Returns a
 * descriptor, which the caller closes; -ENOENT if there is no such file; or
 * another -errno.
 */
int announced_open(const struct recording *recording,
		   const struct part_copy *part, enum announced kind);

/*
 * Copies the file that announced_open() opens to a new file next to the part at
 * `part_path`, unless there is a copy already. Returns 0, also if no file can
 * be opened, or -errno and *why.
 */
int announced_keep(const struct recording *recording,
		   const struct part_copy *part, enum announced kind,
		   const char *part_path, char **why);

#endif
