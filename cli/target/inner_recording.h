/* SPDX-License-Identifier: MIT */
/*
 * The recording of a process that records in a folder of its own file system
 * (inner_folder.h). When clew detaches, the recording is copied to its *home*,
 * the folder that the user has chosen. Until then a line in the home
 * (WIRE_UNRECORDED_NAME) names the process's folder.
 */
#ifndef CLEW_CLI_TARGET_INNER_RECORDING_H
#define CLEW_CLI_TARGET_INNER_RECORDING_H

#include "cli/target/inner_folder.h"
#include "wire/attachment.h"

/*
 * Adds the line that names the folder to the home. Returns 0, or -errno and
 * *why.
 */
int inner_recording_announce(const struct inner_folder *folder, pid_t pid,
			     const char *home, char **why);

/*
 * Copies the recording from the folder to the home, makes the line in the home
 * a comment, and removes and closes the folder. Fails if the home has no line
 * that names the folder. Returns 0; -EBUSY if a process still records in the
 * folder; or another -errno. After an error the folder still exists and is
 * open, and *why is set.
 */
int inner_recording_bring(struct inner_folder *folder, const char *home,
			  char **why);

/*
 * Like inner_recording_bring(), after clew has detached from a process:
 * `attachment` is the copy that was made before and names folder and home.
 * Returns 0 without an effect if it names no home.
 */
int inner_recording_bring_of(pid_t pid,
			     const struct wire_attachment *attachment,
			     char **why);

#endif
