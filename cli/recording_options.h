/* SPDX-License-Identifier: MIT */
/*
 * Options of those commands that record: rows for their tables, by groups, and
 * what each adds to the configuration of a recording.
 */
#ifndef CLEW_CLI_RECORDING_OPTIONS_H
#define CLEW_CLI_RECORDING_OPTIONS_H

#include <argp.h>

#include "cli/directives.h"

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
	KEY_OF_COMMAND, /* and above: a command's own */
};

#define DEFAULT_TRACE "1G"

/* Rows of groups 2, 3 and 4. */
/* clang-format off */
#define RECORDING_SELECTION \
	{ "module", 'm', "GLOB", 0, "Only modules that match", 2 }, \
	{ "not-module", 'M', "GLOB", 0, "No modules that match", 2 }, \
	{ "function", 'f', "REGEX", 0, "Only functions that match", 2 }, \
	{ "not-function", 'F', "REGEX", 0, "No functions that match", 2 }

/* standby and what is said of it, each behind another; or nothing. */
#define RECORDING_JAVA(standby, its_text) \
	{ "java", KEY_JAVA, \
	  "natives|exact[:PATTERN,...]|inplace[:...]" standby "|vm|off", 0, \
	  "natives: of a Java virtual machine its native methods (default); " \
	  "exact: each call of Java methods, too, of the application or those " \
	  "that match; inplace: each call of code that is compiled of these, in " \
	  "which compilers leave no calls that they have inlined; " its_text "vm: its own functions, too; off: leave it " \
	  "alone", \
	  2 }, \
	{ "java-min-size", KEY_JAVA_MIN_SIZE, "N", 0, \
	  "No Java methods of less than N bytes of code (default: 7)", \
	  2 }

#define RECORDING_RULES \
	{ "rules", KEY_RULES, "FILE", 0, \
	  "Rules from a file, see clew-record(1)", 2 }

#define RECORDING_TIME \
	{ 0, 0, NULL, 0, "Time:", 3 }, \
	{ "time", KEY_TIME, "cpu|wall|exact|none", 0, \
	  "cpu: sampled by each thread's CPU clock (default); wall: by the " \
	  "clock, blocked threads too; exact: measured, at both ends of every " \
	  "call; none: calls only", \
	  3 }, \
	{ "rate", KEY_RATE, "N", 0, "Samples a second (default: 997)", 3 }, \
	{ "clock", KEY_CLOCK, "auto|tick", 0, \
	  "auto: a finer clock than the kernel's tick where it may be had " \
	  "(default); tick: never", \
	  3 }

#define RECORDING_LIMITS \
	{ 0, 0, NULL, 0, "Limits:", 4 }, \
	{ "max-contexts", KEY_MAX_CONTEXTS, "N", 0, \
	  "Record that many contexts a process, fold the others", 4 }, \
	{ "max-memory", KEY_MAX_MEMORY, "SIZE", 0, \
	  "Let tables, contexts and samples take that many bytes a process; K, " \
	  "M or G may follow", \
	  4 }, \
	{ "fold-recursion", KEY_FOLD_RECURSION, NULL, 0, \
	  "Count calls of functions that are on their way already where they " \
	  "began, so that recursion makes no contexts", \
	  4 }, \
	{ "verify-period", KEY_VERIFY_PERIOD, "N", 0, \
	  "Verify one hit in N, on average, against the stack", 4 }, \
	{ "no-cache", KEY_NO_CACHE, NULL, 0, \
	  "Neither read nor write the cache of analyses", 4 }, \
	{ "budget", KEY_BUDGET, "SHARE", 0, \
	  "Keep what clew costs below that share of the program's CPU time " \
	  "(5%, say): functions that are called most are left out, and " \
	  "marked", \
	  4 }
/* clang-format on */

/* 0, or ARGP_ERR_UNKNOWN for a key of none of these. */
error_t recording_parse(struct directives *directives, int key,
			const char *argument, struct argp_state *state);

/* When all are parsed: an error where two of them contradict each other. */
void recording_check(const struct directives *directives,
		     struct argp_state *state);

#endif
