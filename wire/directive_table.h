/* SPDX-License-Identifier: MIT */
/*
 * The directives that configure a recording (clew-record(1), "RULES"), one row
 * each. The command line, files of rules, the target's library and `--help` all
 * use this table.
 *
 *	X(ID, word, KIND, member, standard, least, most,
 *	  COMMANDS, key, argument, GROUP, RANK, help, obstacle)
 *
 *	ID		DIRECTIVE_ID is the directive's number, which is not
 *			stored in files
 *	word		the directive's name in the configuration, and the long
 *			name of the option if a command has one
 *	KIND		the kind of its value (enum wire_setting_kind), see
 *			below
 *	member		the member of struct config (preload/host/config.h)
 *			that holds the value
 *	standard	the member's value if the configuration does not have
 *			the directive
 *	least, most	bounds of the number; 0 and 0 if the kind has no number
 *	COMMANDS	which commands have the option: RECORD (clew record),
 *			BOTH (clew attach as well), NONE
 *	key		the option's letter, or 0
 *	argument	the option's argument as --help shows it
 *	GROUP, RANK	the place of the option in --help (HELP_GROUP of
 *			cli/common/help.h; FIRST or LATER). FIRST_OPTIONAL and
 *			LATER_OPTIONAL: its argument may be omitted.
 *			FIRST_IN_RECORD: FIRST for clew record, LATER for clew
 *			attach
 *	help		the option's description in --help
 *	obstacle	the reason why clew attach refuses the directive, or
 *			NULL
 *
 * The kinds:
 *
 *	FLAG		no value; sets an int to 1
 *	NUMBER		a decimal number; on the command line and in rules also
 *			4K, 2M or 1G. The last of several directives holds
 *	LIMIT		like NUMBER, but the least of several directives holds
 *	WORD		one of the words of wire_directive_words()
 *	TEXT, REGEX	any text; an extended regular expression
 *	others		values with a parser of their own, in
 *			cli/recording/directives.c and
 *			preload/host/config_values.c
 */
#ifndef CLEW_WIRE_DIRECTIVE_TABLE_H
#define CLEW_WIRE_DIRECTIVE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "wire/avoidable.h"
#include "wire/packet.h"
#include "wire/recording.h"

/* The value of --trace if the user gives the option without a value. */
#define DIRECTIVE_TRACE_STANDARD "1G"

/*
 * Number of contexts of a thread beyond which recursion is folded by default
 * (--fold-recursion).
 */
#define DIRECTIVE_FOLD_BEYOND 65536

/* Number of calls between two time stamps of a trace by default (--stamps). */
#define DIRECTIVE_STAMPS_STANDARD 64

/* clang-format off */
#define WIRE_DIRECTIVES(X) \
X(MODULE, "module", TEXT, rules, 0, 0, 0, \
  BOTH, 'm', "GLOB", SELECTION, FIRST, \
  "Count only functions of matching modules", NULL) \
X(NOT_MODULE, "not-module", TEXT, rules, 0, 0, 0, \
  BOTH, 'M', "GLOB", SELECTION, LATER, \
  "Do not count functions of matching modules", NULL) \
X(FUNCTION, "function", REGEX, rules, 0, 0, 0, \
  BOTH, 'f', "REGEX", SELECTION, FIRST, \
  "Count only functions whose names in the file (mangled) match", NULL) \
X(NOT_FUNCTION, "not-function", REGEX, rules, 0, 0, 0, \
  BOTH, 'F', "REGEX", SELECTION, LATER, \
  "Do not count functions whose names in the file (mangled) match", NULL) \
X(LIBC, "libc", FLAG, hook_libc, 0, 0, 0, \
  BOTH, 0, NULL, SELECTION, FIRST_IN_RECORD, \
  "Also count functions of the C library", NULL) \
X(JIT_CALLERS, "jit-callers", FLAG, jit_callers, 0, 0, 0, \
  BOTH, 0, NULL, SELECTION, LATER, \
  "Show functions that JIT code calls below that code", NULL) \
X(NO_CHILDREN, "no-children", FLAG, no_children, 0, 0, 0, \
  RECORD, 0, NULL, SELECTION, LATER, \
  "Do not record forked and executed processes", \
  "clew attach records the processes that are chosen, and what they fork") \
X(TIME, "time", WORD, time, WIRE_TIME_CPU, 0, 0, \
  BOTH, 0, "cpu|wall|exact|none", TIME, FIRST, \
  "Which time to measure (default: cpu, sampled)", NULL) \
X(RATE, "rate", NUMBER, rate_hz, 997, 1, 100000, \
  BOTH, 0, "N", TIME, LATER, \
  "Take N samples per second (default: 997)", NULL) \
X(CLOCK, "clock", CLOCK, wants_ticks, 0, 0, 0, \
  BOTH, 0, "auto|tick", TIME, LATER, \
  "Which clock triggers samples (default: auto, the finest one)", NULL) \
X(TRACE, "trace", TRACE, trace_bytes, 0, 65536, INT64_MAX, \
  BOTH, 0, "SIZE|ring:SIZE", TRACES, FIRST_OPTIONAL, \
  "Record each call in order (default: latest " DIRECTIVE_TRACE_STANDARD ")", \
  NULL) \
X(STAMPS, "stamps", STAMPS, stamp_every, DIRECTIVE_STAMPS_STANDARD, 1, \
  UINT16_MAX, \
  BOTH, 0, "packet|N|TIME|all", TRACES, LATER, \
  "How often to store a time stamp (default: every 64 calls)", NULL) \
X(MIN_DURATION, "min-duration", DURATION, least_ns, 0, 1, 1000000000000, \
  BOTH, 0, "TIME", TRACES, LATER, \
  "Drop calls shorter than TIME, such as 10us", NULL) \
X(SITES, "sites", FLAG, keeps_sites, 0, 0, 0, \
  BOTH, 0, NULL, TRACES, LATER, \
  "Record the call site of each call", NULL) \
X(ON_OVERFLOW, "on-overflow", WORD, overflow, WIRE_OVERFLOW_DROP, 0, 0, \
  BOTH, 0, "drop-oldest|process" DIRECTIVE_OVERFLOW_WAIT, TRACES, LATER, \
  "What to do when the trace is full (default: drop-oldest)", NULL) \
X(WORKERS, "workers", NUMBER, workers, 0, 1, WIRE_WORKERS_MAX, \
  RECORD, 0, "N", TRACES, LATER, \
  "Threads of clew that count calls before they are overwritten", \
  "only clew record has workers; omit --workers, or use " \
  "--on-overflow=process alone") \
X(TRACE_DEPTH, "trace-depth", NUMBER, trace_depth, 0, 1, \
  WIRE_PACKET_DEPTH_MAX, \
  BOTH, 0, "N", TRACES, LATER, \
  "Omit calls deeper than N levels (at most 200)", NULL) \
X(SNAPSHOT_ON, "snapshot-on", SIGNAL, snapshot_signal, 0, 1, 31, \
  RECORD, 0, "SIGNAL", SNAPSHOTS, LATER, \
  "Save a snapshot when a process receives SIGNAL, such as USR2", \
  "a running process keeps its own signal handlers; use clew snapshot PID") \
X(JAVA, "java", JAVA, java, 0, 0, 0, \
  BOTH, 0, "natives|exact[:PATTERN,...]|inplace[:...]" \
  DIRECTIVE_JAVA_STANDBY "|vm|off", \
  JAVA, FIRST, "What to count in a JVM (default: natives)", NULL) \
X(JAVA_MIN_SIZE, "java-min-size", NUMBER, java_min_size, 7, 0, UINT16_MAX, \
  BOTH, 0, "N", JAVA, LATER, \
  "Skip Java methods of less than N bytes of code (default: 7)", NULL) \
X(JNI_ENV, "jni-env", FLAG, hook_jni, 0, 0, 0, \
  BOTH, 0, NULL, JAVA, LATER, \
  "Also count JNI functions that native methods call", NULL) \
X(BUDGET, "budget", BUDGET, budget, 0, 1, 1000, \
  BOTH, 0, "SHARE", LIMITS, FIRST, \
  "Skip hot functions to limit clew's CPU share (5%)", NULL) \
X(MAX_CONTEXTS, "max-contexts", LIMIT, max_contexts, UINT64_MAX, 1, \
  UINT32_MAX, \
  BOTH, 0, "N", LIMITS, LATER, \
  "Record at most N contexts per process", NULL) \
X(MAX_MEMORY, "max-memory", LIMIT, max_bytes, 0, 1, INT64_MAX, \
  BOTH, 0, "SIZE", LIMITS, LATER, \
  "Limit the memory per process (bytes, or with K, M, G)", NULL) \
X(FOLD_RECURSION, "fold-recursion", FOLDING, fold_beyond, \
  DIRECTIVE_FOLD_BEYOND, 1, INT64_MAX, \
  BOTH, 0, "N|never", LIMITS, LATER_OPTIONAL, \
  "Count recursive calls in outer ones beyond N contexts (65536)", NULL) \
X(NO_TAIL_NESTING, "no-tail-nesting", FLAG, no_tail_nesting, 0, 0, 0, \
  BOTH, 0, NULL, LIMITS, LATER, \
  "Show tail calls below the caller of the function that jumps", NULL) \
X(VERIFY_PERIOD, "verify-period", NUMBER, verify_period, 65536, 0, \
  INT32_MAX / 2, \
  BOTH, 0, "N", LIMITS, LATER, \
  "Check one call in N against the stack (default: 65536)", NULL) \
X(NO_PRELINKING, "no-prelinking", FLAG, no_prelinking, 0, 0, 0, \
  RECORD, 0, NULL, LIMITS, LATER, \
  "Generate stubs in each process; do not use cached ones", \
  "a running process shares its code with others where it can; use " \
  "--no-cache to analyse files again") \
X(PROBE, "probe", PROBE, probes, 0, 0, 0, \
  NONE, 0, NULL, PROBES, LATER, "", \
  "a rules file cannot contain this for clew attach; use --probe, or clew " \
  "probe add") \
X(ACTION, "action", ACTION, probes, 0, 0, 0, \
  NONE, 0, NULL, PROBES, LATER, "", \
  "a rules file cannot contain this for clew attach; use --probe, or clew " \
  "probe add") \
X(TRACE_WAITS, "trace-waits", FLAG, trace_waits, 0, 0, 0, \
  NONE, 0, NULL, TRACES, LATER, "", NULL) \
X(CACHE, "cache", TEXT, cache_dir, 0, 0, 0, \
  NONE, 0, NULL, LIMITS, LATER, "", NULL) \
X(AGENT, "agent", TEXT, agent, 0, 0, 0, \
  NONE, 0, NULL, SELECTION, LATER, "", NULL) \
X(AVOID, "avoid", NUMBER, avoided, 0, 1, WIRE_AVOIDS_ALL, \
  NONE, 0, NULL, LIMITS, LATER, "", NULL)
/* clang-format on */

enum wire_setting_kind {
	WIRE_SETTING_FLAG,
	WIRE_SETTING_NUMBER,
	WIRE_SETTING_LIMIT,
	WIRE_SETTING_WORD,
	WIRE_SETTING_TEXT,
	WIRE_SETTING_REGEX,
	WIRE_SETTING_CLOCK,
	WIRE_SETTING_TRACE,
	WIRE_SETTING_STAMPS,
	WIRE_SETTING_DURATION,
	WIRE_SETTING_SIGNAL,
	WIRE_SETTING_JAVA,
	WIRE_SETTING_BUDGET,
	WIRE_SETTING_FOLDING,
	WIRE_SETTING_PROBE,
	WIRE_SETTING_ACTION,
	WIRE_SETTING_KIND_COUNT
};

enum wire_directive {
#define X(id, ...) DIRECTIVE_##id,
	WIRE_DIRECTIVES(X)
#undef X
		DIRECTIVE_COUNT
};

/*
 * Pairs of directives that are refused, because they exclude each other or one
 * needs another value of the other:
 *
 *	X(A, values, B, values, why)
 *
 * A configuration is refused for the reason `why` if directive A has one of the
 * values of A and directive B one of the values of B. `values` is NULL for any
 * value, or words with `|` between them; `!` in front of the words means all
 * values except these. Only the part of a directive's value before a colon is
 * compared.
 */
/* clang-format off */
#define WIRE_EXCLUSIONS(X) \
X(TRACE, NULL, TIME, "!none", \
  "--trace and --time exclude each other: a trace contains the time of " \
  "each call; omit --time") \
X(TRACE, NULL, BUDGET, NULL, \
  "--trace and --budget exclude each other: a trace contains every call; " \
  "omit one of them") \
X(TRACE, NULL, JNI_ENV, NULL, \
  "--trace excludes --jni-env and --jit-callers; omit them") \
X(TRACE, NULL, JIT_CALLERS, NULL, \
  "--trace excludes --jni-env and --jit-callers; omit them") \
X(MIN_DURATION, NULL, STAMPS, "!all", \
  "--min-duration needs --stamps=all") \
X(FOLD_RECURSION, "!never", TRACE, NULL, \
  "--fold-recursion and --trace exclude each other: a trace contains each " \
  "call separately") \
X(FOLD_RECURSION, "!never", TIME, "exact", \
  "--fold-recursion and --time=exact exclude each other: the times of " \
  "nested calls cannot be " \
  "added") \
X(FOLD_RECURSION, "!never", JAVA, "exact|standby|inplace", \
  "--fold-recursion excludes --java=exact and standby: Java methods keep " \
  "their contexts") \
X(BUDGET, NULL, TIME, "exact", \
  "--budget and --time=exact exclude each other: functions that are " \
  "skipped cannot be measured") \
X(BUDGET, NULL, JAVA, "exact|standby|inplace", \
  "--budget excludes --java=exact, standby and inplace: Java methods " \
  "cannot be skipped") \
X(JAVA, "exact|standby|inplace", TIME, "exact", \
  "--time=exact excludes --java=exact, standby and inplace: the time of " \
  "Java methods cannot be " \
  "measured exactly") \
X(JNI_ENV, NULL, JAVA, "off", \
  "--jni-env and --java=off exclude each other; omit one of them")

#define WIRE_NEEDS(X) \
X(MIN_DURATION, NULL, TRACE, NULL, "--min-duration needs --trace") \
X(ON_OVERFLOW, NULL, TRACE, NULL, "--on-overflow needs --trace") \
X(WORKERS, NULL, TRACE, NULL, \
  "--workers needs --trace and --on-overflow=process or wait") \
X(WORKERS, NULL, ON_OVERFLOW, "process|wait", \
  "--workers needs --trace and --on-overflow=process or wait") \
X(TRACE_DEPTH, NULL, TRACE, NULL, "--trace-depth needs --trace") \
X(SITES, NULL, TRACE, NULL, "--sites needs --trace")
/* clang-format on */

/*
 * Returns the words of a directive of kind WORD, in the order of the
 * enumeration of its member, and stores their number in *count. Returns NULL
 * for other directives.
 */
static inline const char *const *wire_directive_words(
	enum wire_directive directive, unsigned int *count)
{
	static const char *const times[] = {
		[WIRE_TIME_NONE] = "none",
		[WIRE_TIME_CPU] = "cpu",
		[WIRE_TIME_WALL] = "wall",
		[WIRE_TIME_EXACT] = "exact",
	};
	static const char *const overflows[WIRE_OVERFLOW_COUNT] = {
		[WIRE_OVERFLOW_DROP] = "drop-oldest",
		[WIRE_OVERFLOW_PROCESS] = "process",
		[WIRE_OVERFLOW_WAIT] = "wait",
	};

	switch (directive) {
	case DIRECTIVE_TIME:
		*count = sizeof(times) / sizeof(*times);
		return times;
	case DIRECTIVE_ON_OVERFLOW:
		*count = WIRE_OVERFLOW_COUNT;
		return overflows;
	default:
		*count = 0;
		return NULL;
	}
}

#endif
