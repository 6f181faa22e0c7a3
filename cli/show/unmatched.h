/* SPDX-License-Identifier: MIT */
/* Messages for names and filters that match nothing in a recording. */
#ifndef CLEW_CLI_SHOW_UNMATCHED_H
#define CLEW_CLI_SHOW_UNMATCHED_H

#include "report/view/selection.h"

/*
 * Explains on stderr that no call is left by --module and --function. Returns the exit
 * status of failure.
 */
int unmatched_selection(const char *command, const struct selection *selection,
			struct catalog *catalog);

/*
 * Explains on stderr that a function that an option names is not in the recording. Returns
 * the exit status of failure.
 */
int unmatched_function(const char *command, const char *function,
		       struct catalog *catalog);

/*
 * Replaces *why if a recording could not be opened because it does not exist (err is
 * -ENOENT): names the recording with the nearest name, or the command that records one.
 */
void unmatched_recording(const char *path, int err, char **why);

#endif
