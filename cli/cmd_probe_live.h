/* SPDX-License-Identifier: MIT */
/* clew probe add, rm, ls: the probes of a process that is being recorded. */
#ifndef CLEW_CLI_CMD_PROBE_LIVE_H
#define CLEW_CLI_CMD_PROBE_LIVE_H

enum {
	LIVE_PROBE_PID = 'p',
	LIVE_PROBE_ALL = 'a',
	LIVE_PROBE_ACTION = 'A',
	LIVE_PROBE_HANDLER = 'H'
};

#define LIVE_PROBE_OPTIONS                                                     \
	{ "pid",                                                               \
	  LIVE_PROBE_PID,                                                      \
	  "PID",                                                               \
	  0,                                                                   \
	  "add, rm, ls: the process; or say it behind these",                  \
	  1 },                                                                 \
		{ "action",                                                    \
		  LIVE_PROBE_ACTION,                                           \
		  "ACTION",                                                    \
		  0,                                                           \
		  "add: what the probe before it does, too; see clew record "  \
		  "--action",                                                  \
		  1 },                                                         \
		{ "handler",                                                   \
		  LIVE_PROBE_HANDLER,                                          \
		  "OBJECT:FUNCTION",                                           \
		  0,                                                           \
		  "add: whom it calls; see clew record --handler",             \
		  1 },                                                         \
	{                                                                      \
		"all", LIVE_PROBE_ALL, NULL, 0,                                \
			"rm: all probes of the process", 1                     \
	}

/* Whether it is one of these, with the process behind or in front. */
int is_live_probe_command(int argc, char **argv);

int command_probe_live(int argc, char **argv);

#endif
