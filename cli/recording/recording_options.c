/* SPDX-License-Identifier: MIT */
#include "cli/recording/recording_options.h"
#include "cli/common/command.h"

#include <stddef.h>
#include <string.h>

static const char *directive_of(int key)
{
	switch (key) {
	case 'm':
		return "module";
	case 'M':
		return "not-module";
	case 'f':
		return "function";
	case 'F':
		return "not-function";
	case KEY_LIBC:
		return "libc";
	case KEY_JAVA:
		return "java";
	case KEY_JAVA_MIN_SIZE:
		return "java-min-size";
	case KEY_JNI_ENV:
		return "jni-env";
	case KEY_JIT_CALLERS:
		return "jit-callers";
	case KEY_NO_CHILDREN:
		return "no-children";
	case KEY_NO_PRELINKING:
		return "no-prelinking";
	case KEY_FOLD_RECURSION:
		return "fold-recursion";
	case KEY_NO_TAIL_NESTING:
		return "no-tail-nesting";
	case KEY_MAX_CONTEXTS:
		return "max-contexts";
	case KEY_MAX_MEMORY:
		return "max-memory";
	case KEY_VERIFY_PERIOD:
		return "verify-period";
	case KEY_TIME:
		return "time";
	case KEY_RATE:
		return "rate";
	case KEY_CLOCK:
		return "clock";
	case KEY_BUDGET:
		return "budget";
	case KEY_TRACE:
		return "trace";
	case KEY_STAMPS:
		return "stamps";
	case KEY_MIN_DURATION:
		return "min-duration";
	case KEY_TRACE_DEPTH:
		return "trace-depth";
	case KEY_SITES:
		return "sites";
	case KEY_SNAPSHOT_ON:
		return "snapshot-on";
	case KEY_ON_OVERFLOW:
		return "on-overflow";
	case KEY_WORKERS:
		return "workers";
	default:
		return NULL;
	}
}

/* `why` begins with the directive and its value ("time x: ..."), unless a file has it. */
static void complain_of_option(struct argp_state *state, const char *directive,
			       char *why)
{
	const size_t length = directive ? strlen(directive) : 0;

	if (!directive)
		complain_of_usage(state, "--rules: %s", why);
	else if (strncmp(why, directive, length) == 0 && why[length] == ' ')
		complain_of_usage(state, "--%s=%s", directive,
				  why + length + 1);
	else
		complain_of_usage(state, "--%s", why);
}

static void configure(struct directives *directives, int key,
		      const char *argument, struct argp_state *state)
{
	char *why;
	int err;

	if (key == KEY_RULES)
		err = directives_add_file(directives, argument, &why);
	else
		err = directives_add(directives, directive_of(key),
				     key == KEY_TRACE && !argument
					     ? DEFAULT_TRACE
					     : argument,
				     &why);
	if (err)
		complain_of_option(state,
				   key == KEY_RULES ? NULL : directive_of(key),
				   why);
}

error_t recording_parse(struct directives *directives, int key,
			const char *argument, struct argp_state *state)
{
	if (key != KEY_RULES && !directive_of(key))
		return ARGP_ERR_UNKNOWN;
	configure(directives, key, argument, state);
	return 0;
}

void recording_check(const struct directives *directives,
		     struct argp_state *state)
{
	const int reads_packets =
		directives->has_overflow && !directives->drops;
	const struct {
		int is_wrong;
		const char *what;
	} rules[] = {
		{ directives->has_trace && directives->has_time,
		  "--trace and --time exclude each other: a trace contains the "
		  "time of each call; omit --time" },
		{ directives->has_trace && directives->has_budget,
		  "--trace and --budget exclude each other: a trace contains "
		  "every call; omit one of them" },
		{ directives->has_trace && directives->has_callers,
		  "--trace excludes --jni-env and --jit-callers; omit them" },
		{ directives->has_least && !directives->has_trace,
		  "--min-duration needs --trace" },
		{ directives->has_overflow && !directives->has_trace,
		  "--on-overflow needs --trace" },
		{ directives->workers &&
			  !(directives->has_trace && reads_packets),
		  "--workers needs --trace and --on-overflow=process or wait" },
		{ directives->has_depth && !directives->has_trace,
		  "--trace-depth needs --trace" },
		{ directives->has_sites && !directives->has_trace,
		  "--sites needs --trace" },
		{ directives->has_least && directives->has_stamps,
		  "--min-duration needs --stamps=all" },
		{ directives->folds_recursion && directives->has_trace,
		  "--fold-recursion and --trace exclude each other: a trace "
		  "contains each call separately" },
		{ directives->folds_recursion && directives->is_exact,
		  "--fold-recursion and --time=exact exclude each other: the "
		  "times of nested calls cannot be added" },
		{ directives->folds_recursion && directives->is_exact_java,
		  "--fold-recursion excludes --java=exact and standby: Java "
		  "methods keep their contexts" },
		{ directives->has_budget && directives->is_exact,
		  "--budget and --time=exact exclude each other: functions "
		  "that are skipped cannot be measured" },
		{ directives->has_budget && directives->is_exact_java,
		  "--budget excludes --java=exact, standby and inplace: Java "
		  "methods cannot be skipped" },
		{ directives->is_exact_java && directives->is_exact,
		  "--time=exact excludes --java=exact, standby and inplace: "
		  "the time of Java methods cannot be measured exactly" },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].is_wrong)
			argp_error(state, "%s", rules[i].what);
}
