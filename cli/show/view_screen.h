/* SPDX-License-Identifier: MIT */
/* `clew view`: a recording on a terminal. */
#ifndef CLEW_CLI_SHOW_VIEW_SCREEN_H
#define CLEW_CLI_SHOW_VIEW_SCREEN_H

#include "cli/common/options.h"
#include "cli/show/view_steps.h"
#include "report/code/source_files.h"

/* State of the screen that is kept when the recording is read again. */
struct view_screen_state {
	size_t pane;    /* index of the open pane */
	char *function; /* full name of the selected function, or NULL */
	struct view_steps steps;
};

enum view_screen_end { VIEW_QUITS, VIEW_READS_AGAIN };

/*
 * Shows a session until the user quits, an ending signal arrives, or the
 * recording has to be read again, with or without inlined functions. Restores
 * the terminal. Returns 0, or -errno and *why.
 */
int view_screen_run(struct session *session, const struct view_options *options,
		    struct source_files *sources,
		    struct view_screen_state *state, enum view_screen_end *end,
		    char **why);

#endif
