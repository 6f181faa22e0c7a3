/* SPDX-License-Identifier: MIT */
/* Messages for names and filters that match nothing in a recording. */
#ifndef CLEW_CLI_UNMATCHED_H
#define CLEW_CLI_UNMATCHED_H

#include "report/view/selection.h"

/*
 * Explains on stderr that no call is left by --module and --function. Returns the exit
 * status of failure.
 */
int unmatched_selection(const char *command, const struct selection *selection,
			struct catalog *catalog);

/* The same for a function that an option names: it is not in the recording. */
int unmatched_function(const char *command, const char *function,
		       struct catalog *catalog);

/*
 * Adds what to do to *why if a recording could not be opened because it does not exist
 * (err is -ENOENT). Without a recording of the default name, that is to record first.
 */
void unmatched_recording(const char *path, int err, char **why);

#endif
