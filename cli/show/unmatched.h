/* SPDX-License-Identifier: MIT */
/* Messages for names and filters that match nothing in a recording. */
#ifndef CLEW_CLI_SHOW_UNMATCHED_H
#define CLEW_CLI_SHOW_UNMATCHED_H

#include "report/view/finder.h"
#include "report/view/selection.h"

/*
 * Reports that no call matches --module and --function. Returns the exit status
 * of failure.
 */
int unmatched_selection(const char *command, const struct selection *selection,
			struct catalog *catalog);

/*
 * Reports that the recording does not contain a function that an option names.
 * Returns the exit status of failure.
 */
int unmatched_function(const char *command, const char *function,
		       struct catalog *catalog);

/*
 * Reports that several functions match a name: lists the first five of them by
 * texts that find only one each, among the same candidates as finder_find().
 * Returns the exit status of failure.
 */
int unmatched_several(const char *command, const char *function,
		      struct catalog *catalog, const uint8_t *candidates,
		      const struct found_functions *found);

/*
 * Replaces *why if a recording does not exist (err is -ENOENT): names the
 * recording with the nearest name or the command that records one, or says that
 * the pattern matches no file.
 */
void unmatched_recording(const char *path, int err, char **why);

#endif
