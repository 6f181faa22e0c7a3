/* SPDX-License-Identifier: MIT */
/* `clew probe add`, `rm` and `ls`: the probes of a running process. */
#ifndef CLEW_CLI_CMD_PROBE_LIVE_H
#define CLEW_CLI_CMD_PROBE_LIVE_H

#include "cli/common/help.h"

enum {
	LIVE_PROBE_PID = 'p',
	LIVE_PROBE_ALL = 'a',
	LIVE_PROBE_ACTION = 'A',
	LIVE_PROBE_HANDLER = 'H'
};

/* clang-format off */
#define LIVE_PROBE_OPTIONS \
	{ "pid", LIVE_PROBE_PID, "PID", 0, \
	  "add, rm, ls: The process; may also be the first argument", \
	  HELP_PROBES }, \
	{ "action", LIVE_PROBE_ACTION, "ACTION", 0, \
	  "add: An action of the preceding PLACE", HELP_PROBES }, \
	{ "handler", LIVE_PROBE_HANDLER, "OBJECT:FUNCTION", 0, \
	  "add: A function of a shared object to call at the preceding PLACE", \
	  HELP_PROBES }, \
	{ "all", LIVE_PROBE_ALL, NULL, 0, \
	  "rm: Remove all probes of the process", HELP_PROBES }
/* clang-format on */

/*
 * Returns whether the first argument is `add`, `rm` or `ls`, apart from an
 * option --pid or -p before it.
 */
int is_live_probe_command(int argc, char **argv);

int command_probe_live(int argc, char **argv);

#endif
