/* SPDX-License-Identifier: MIT */
/* Steps that commands which show recordings share. */
#ifndef CLEW_CLI_SHOW_VIEW_H
#define CLEW_CLI_SHOW_VIEW_H

#include "cli/common/options.h"

/* Shows a session, with the command's own options. Returns the exit status. */
typedef int view_show(const char *command, struct session *session,
		      void *options);

/*
 * Runs a whole command: parses its arguments into `options`, which contains
 * `view`, opens the recording and shows it. If part of the recording is
 * damaged, shows what could be read, reports the damage on stderr, and fails.
 * Returns the exit status.
 */
int view_command(const struct argp *argp, int argc, char **argv,
		 struct view_options *view, view_show *show, void *options);

/*
 * Shows the recording view->path, with arguments that are already parsed, as
 * view_command() does. Returns the exit status.
 */
int view_recording(const char *command, struct view_options *view,
		   view_show *show, void *options);

/*
 * Prepares output, before anything is written. stdout may then lead to a pager.
 */
void view_begin(struct view_options *view, struct session *session);

/* Finishes output. Returns the exit status. */
int view_finish(struct view_options *view, const char *command);

/* Reports that the session has no such function. Returns the exit status. */
int view_give_up_on(struct session *session, const char *command,
		    const char *function);

/*
 * Finds the function that the user names (finder.h), among those of --module,
 * and functions with the same name. Stores a mask in *chosen, which the caller
 * frees, and returns 0. If no function matches, or several, prints a message
 * and returns the exit status.
 */
int view_find(const char *command, const struct view_options *view,
	      struct session *session, const char *name, uint8_t **chosen);

/*
 * If the recording is incomplete (lost calls or samples, a budget, or
 * problems), reports this, because most formats of other tools cannot contain
 * this. Does nothing for a damaged recording, which view_recording() reports.
 */
void view_print_losses(const struct session *session, const char *command);

/*
 * Returns 0 if a function of the session matches --module and --function.
 * Otherwise prints a message on stderr and returns the exit status.
 */
int view_check_selection(const char *command, const struct view_options *view,
			 struct session *session);

#endif
