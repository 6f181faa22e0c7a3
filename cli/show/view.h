/* SPDX-License-Identifier: MIT */
/* What the commands that show recordings do alike. */
#ifndef CLEW_CLI_SHOW_VIEW_H
#define CLEW_CLI_SHOW_VIEW_H

#include "cli/common/options.h"

/* Shows a session, by a command's own options. The exit status. */
typedef int view_show(const char *command, struct session *session,
		      void *options);

/*
 * A whole command. Where a part of the recording is damaged it shows what is left,
 * says so on stderr and fails.
 *
 * It parses its arguments into `options`, of which `view` is part, opens the
 * recording and shows it. The exit status.
 */
int view_command(const struct argp *argp, int argc, char **argv,
		 struct view_options *view, view_show *show, void *options);

/* The same with arguments that were parsed before: for one recording more. */
int view_recording(const char *command, struct view_options *view,
		   view_show *show, void *options);

/* Before anything is written: stdout may lead to a pager afterwards. */
void view_begin(struct view_options *view, struct session *session);

/* Behind everything: the exit status. */
int view_finish(struct view_options *view, const char *command);

/* Reports that the session has no such function. Returns the exit status. */
int view_give_up_on(struct session *session, const char *command,
		    const char *function);

/*
 * Returns 0 if a function of the session matches --module and --function. Otherwise prints a
 * message on stderr and returns the exit status.
 */
int view_check_selection(const char *command, const struct view_options *view,
			 struct session *session);

#endif
