/* SPDX-License-Identifier: MIT */
/*
 * Options of those commands that record: rows for their tables, by groups, and
 * what each adds to the configuration of a recording.
 */
#ifndef CLEW_CLI_RECORDING_RECORDING_OPTIONS_H
#define CLEW_CLI_RECORDING_RECORDING_OPTIONS_H

#include <argp.h>

#include "cli/common/help.h"
#include "cli/recording/directives.h"

enum {
	KEY_LIBC = 0x100,
	KEY_JAVA,
	KEY_JAVA_MIN_SIZE,
	KEY_JNI_ENV,
	KEY_JIT_CALLERS,
	KEY_NO_CHILDREN,
	KEY_RULES,
	KEY_MAX_CONTEXTS,
	KEY_MAX_MEMORY,
	KEY_FOLD_RECURSION,
	KEY_NO_TAIL_NESTING,
	KEY_VERIFY_PERIOD,
	KEY_NO_CACHE,
	KEY_NO_PRELINKING,
	KEY_TIME,
	KEY_RATE,
	KEY_CLOCK,
	KEY_BUDGET,
	KEY_TRACE,
	KEY_STAMPS,
	KEY_MIN_DURATION,
	KEY_ON_OVERFLOW,
	KEY_WORKERS,
	KEY_SNAPSHOT_ON,
	KEY_TRACE_DEPTH,
	KEY_SITES,
	KEY_PROBE,
	KEY_ACTION,
	KEY_HANDLER,
	KEY_ARGS,
	KEY_RET,
	KEY_OF_COMMAND, /* and above: a command's own */
};

#define DEFAULT_TRACE "1G"

/* Rows by their purpose (help.h). */
/* clang-format off */
#define RECORDING_SELECTION \
	{ "module", 'm', "GLOB", HELP_FIRST, \
	  "Count only functions of matching modules", HELP_SELECTION }, \
	{ "not-module", 'M', "GLOB", HELP_FIRST, \
	  "Do not count functions of matching modules", HELP_SELECTION }, \
	{ "function", 'f', "REGEX", HELP_FIRST, \
	  "Count only functions whose names match", HELP_SELECTION }, \
	{ "not-function", 'F', "REGEX", 0, \
	  "Do not count functions whose names match", HELP_SELECTION }

#define RECORDING_RULES \
	{ "rules", KEY_RULES, "FILE", 0, \
	  "Read rules from a file (see clew-record(1))", HELP_SELECTION }

#define RECORDING_TIME \
	{ "time", KEY_TIME, "cpu|wall|exact|none", HELP_FIRST, \
	  "Which time to measure (default: cpu, sampled)", HELP_TIME }, \
	{ "rate", KEY_RATE, "N", 0, \
	  "Take N samples per second (default: 997)", HELP_TIME }, \
	{ "clock", KEY_CLOCK, "auto|tick", 0, \
	  "Which clock triggers samples (default: auto, the finest one)", \
	  HELP_TIME }

#define RECORDING_PROBES \
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
	  HELP_PROBES }

/* `standby` is another choice, or "". */
#define RECORDING_JAVA(standby) \
	{ "java", KEY_JAVA, \
	  "natives|exact[:PATTERN,...]|inplace[:...]" standby "|vm|off", \
	  HELP_FIRST, "What to count in a JVM (default: natives)", \
	  HELP_JAVA }, \
	{ "java-min-size", KEY_JAVA_MIN_SIZE, "N", 0, \
	  "Skip Java methods of less than N bytes of code (default: 7)", \
	  HELP_JAVA }

#define RECORDING_LIMITS \
	{ "budget", KEY_BUDGET, "SHARE", HELP_FIRST, \
	  "Skip hot functions to limit clew's CPU share (5%)", \
	  HELP_LIMITS }, \
	{ "max-contexts", KEY_MAX_CONTEXTS, "N", 0, \
	  "Record at most N contexts per process", HELP_LIMITS }, \
	{ "max-memory", KEY_MAX_MEMORY, "SIZE", 0, \
	  "Limit the memory per process (bytes, or with K, M, G)", \
	  HELP_LIMITS }, \
	{ "fold-recursion", KEY_FOLD_RECURSION, NULL, 0, \
	  "Count recursive calls in the context of the first call", \
	  HELP_LIMITS }, \
	{ "no-tail-nesting", KEY_NO_TAIL_NESTING, NULL, 0, \
	  "Show tail calls below the caller of the function that jumps", \
	  HELP_LIMITS }, \
	{ "verify-period", KEY_VERIFY_PERIOD, "N", 0, \
	  "Check one call in N against the stack (default: 65536)", HELP_LIMITS }, \
	{ "no-cache", KEY_NO_CACHE, NULL, 0, \
	  "Do not read or write the cache of analyses", HELP_LIMITS }
/* clang-format on */

/* 0, or ARGP_ERR_UNKNOWN for a key of none of these. */
error_t recording_parse(struct directives *directives, int key,
			const char *argument, struct argp_state *state);

/* When all are parsed: an error where two of them contradict each other. */
void recording_check(const struct directives *directives,
		     struct argp_state *state);

#endif
