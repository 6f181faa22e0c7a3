/* SPDX-License-Identifier: MIT */
/*
 * What a process records among its own files (inner_folder.h) until it is left, and
 * where that belongs: its home, a recording of ours, which says so meanwhile.
 */
#ifndef CLEW_CLI_TARGET_INNER_RECORDING_H
#define CLEW_CLI_TARGET_INNER_RECORDING_H

#include "cli/target/inner_folder.h"
#include "wire/attachment.h"

/* The home says where it is. 0, or -errno and *why. */
int inner_recording_announce(const struct inner_folder *folder, pid_t pid,
			     const char *home, char **why);

/*
 * Bring it home, and remove the folder, which is closed then. 0; -EBUSY: a process
 * records there still; or another -errno, and all stays where it is. *why says so.
 * Only into a home that says that it is there.
 */
int inner_recording_bring(struct inner_folder *folder, const char *home,
			  char **why);

/* The same for a process that has been left, by what it said before. 0 if it has no home. */
int inner_recording_bring_of(pid_t pid,
			     const struct wire_attachment *attachment,
			     char **why);

#endif
