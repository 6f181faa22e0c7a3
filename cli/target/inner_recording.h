/* SPDX-License-Identifier: MIT */
/*
 * The recording of a process that records in its own folder (inner_folder.h).
 * When clew detaches, it is copied to its *home*, clew's recording, which until
 * then names the folder.
 */
#ifndef CLEW_CLI_TARGET_INNER_RECORDING_H
#define CLEW_CLI_TARGET_INNER_RECORDING_H

#include "cli/target/inner_folder.h"
#include "wire/attachment.h"

/*
 * Adds a line to the home that names the folder. Returns 0, or -errno and *why.
 */
int inner_recording_announce(const struct inner_folder *folder, pid_t pid,
			     const char *home, char **why);

/*
 * Copies the recording into the home, and removes and closes the folder. Does
 * so only if the home names the folder. Returns 0; -EBUSY if a process still
 * records there; or another -errno, and everything remains. Errors set *why.
 */
int inner_recording_bring(struct inner_folder *folder, const char *home,
			  char **why);

/*
 * Does the same for a detached process, whose attachment was read before.
 * Returns 0 if it has no home.
 */
int inner_recording_bring_of(pid_t pid,
			     const struct wire_attachment *attachment,
			     char **why);

#endif
