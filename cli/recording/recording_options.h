/* SPDX-License-Identifier: MIT */
/*
 * The options of commands that record: rows for their tables, and the
 * directives that the options add to the configuration of a recording. Most
 * rows come from wire/directive_table.h.
 */
#ifndef CLEW_CLI_RECORDING_RECORDING_OPTIONS_H
#define CLEW_CLI_RECORDING_RECORDING_OPTIONS_H

#include <argp.h>

#include "cli/common/help.h"
#include "cli/recording/directives.h"

/* Keys of options that are no directives or have a parser of their own. */
enum {
	KEY_OF_DIRECTIVES = 0x100, /* Plus enum wire_directive. */
	KEY_RULES = KEY_OF_DIRECTIVES + DIRECTIVE_COUNT,
	KEY_NO_CACHE,
	KEY_PROBE,
	KEY_ACTION,
	KEY_TRACE_ON,
	KEY_TRACE_OFF,
	KEY_SNAPSHOT_WHEN,
	KEY_SNAPSHOT_KEEP,
	KEY_HANDLER,
	KEY_ARGS,
	KEY_RET,
	KEY_OF_COMMAND, /* From here on, keys of one command. */
};

/* clang-format off */
#define ROW_FIRST           HELP_FIRST
#define ROW_FIRST_OPTIONAL  (HELP_FIRST | OPTION_ARG_OPTIONAL)
#define ROW_FIRST_IN_RECORD DIRECTIVE_RANK_IN_RECORD
#define ROW_LATER           0
#define ROW_LATER_OPTIONAL  OPTION_ARG_OPTIONAL

#define ROW(id, word, key, argument, group, rank, help) \
	{ word, (key) ? (key) : KEY_OF_DIRECTIVES + DIRECTIVE_##id, argument, \
	  ROW_##rank, help, HELP_##group },

/* An option that is parsed, so that clew attach can say why it refuses it. */
#define REFUSED_ROW(id, word, key, argument, group, rank, help) \
	{ word, (key) ? (key) : KEY_OF_DIRECTIVES + DIRECTIVE_##id, argument, \
	  OPTION_HIDDEN, help, HELP_##group },

#define ROW_OF_RECORD_RECORD(...) ROW(__VA_ARGS__)
#define ROW_OF_RECORD_BOTH(...)   ROW(__VA_ARGS__)
#define ROW_OF_RECORD_NONE(...)
#define ROW_OF_ATTACH_RECORD(...) REFUSED_ROW(__VA_ARGS__)
#define ROW_OF_ATTACH_BOTH(...)   ROW(__VA_ARGS__)
#define ROW_OF_ATTACH_NONE(...)

/*
 * WIRE_DIRECTIVES(RECORD_ROW) and WIRE_DIRECTIVES(ATTACH_ROW) are rows of a
 * command's table of options. The command defines DIRECTIVE_JAVA_STANDBY as
 * "|standby[:...]" if --java has it, or as "", DIRECTIVE_OVERFLOW_WAIT as
 * "|wait" if --on-overflow has it, or as "", and DIRECTIVE_RANK_IN_RECORD as
 * HELP_FIRST for clew record and 0 for others.
 */
#define RECORD_ROW(id, word, kind, member, standard, least, most, \
		   commands, key, argument, group, rank, help, obstacle) \
	ROW_OF_RECORD_##commands(id, word, key, argument, group, rank, help)
#define ATTACH_ROW(id, word, kind, member, standard, least, most, \
		   commands, key, argument, group, rank, help, obstacle) \
	ROW_OF_ATTACH_##commands(id, word, key, argument, group, rank, help)

/* Rows of both commands that are no directives. */
#define RECORDING_ROWS \
	{ "rules", KEY_RULES, "FILE", 0, \
	  "Read rules from a file (see clew-record(1))", HELP_SELECTION }, \
	{ "trace-on", KEY_TRACE_ON, "PLACE", 0, \
	  "Start the trace of a thread at PLACE, such as FUNCTION", \
	  HELP_TRACES }, \
	{ "trace-off", KEY_TRACE_OFF, "PLACE", 0, \
	  "Stop the trace of a thread at PLACE, such as FUNCTION%return", \
	  HELP_TRACES }, \
	{ "snapshot-when", KEY_SNAPSHOT_WHEN, "WHEN", HELP_FIRST, \
	  "Save a snapshot at FUNCTION or FUNCTION>5ms", HELP_SNAPSHOTS }, \
	{ "snapshot-keep", KEY_SNAPSHOT_KEEP, "N", 0, \
	  "Retain the N slowest snapshots of each FUNCTION>5ms " \
	  "(default: 10)", \
	  HELP_SNAPSHOTS }, \
	{ "probe", KEY_PROBE, "PLACE", HELP_FIRST, \
	  "Count executions of an instruction, by context", HELP_PROBES }, \
	{ "action", KEY_ACTION, "ACTION", 0, \
	  "Add an action to the preceding --probe, such as \"record EXPR\"", \
	  HELP_PROBES }, \
	{ "args", KEY_ARGS, "FUNCTION", 0, \
	  "Record the arguments of each call of a function", HELP_PROBES }, \
	{ "ret", KEY_RET, "FUNCTION", 0, \
	  "Record what each call of a function returns", HELP_PROBES }, \
	{ "handler", KEY_HANDLER, "OBJECT:FUNCTION", 0, \
	  "Call a function of a shared object at the preceding --probe", \
	  HELP_PROBES }, \
	{ "no-cache", KEY_NO_CACHE, NULL, 0, \
	  "Do not use the cache (analyses, stubs, what budgets learnt)", \
	  HELP_LIMITS }
/* clang-format on */

/*
 * Handles an option of recordings. Returns 0, or ARGP_ERR_UNKNOWN for the key
 * of another option.
 */
error_t recording_parse(struct directives *directives, int key,
			const char *argument, struct argp_state *state);

/*
 * Checks all options after parsing. Exits with an error if two of them exclude
 * each other, or one needs another that is missing.
 */
void recording_check(const struct directives *directives,
		     struct argp_state *state);

#endif
