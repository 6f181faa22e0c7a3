/* SPDX-License-Identifier: MIT */
#include "cli/recording_options.h"
#include "cli/command.h"

#include <stddef.h>

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
		complain_of_usage(state, "%s", why);
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
	if (directives->has_trace && directives->has_time)
		argp_error(state, "--trace: the calls have their times; it "
				  "goes with --time=none");
	if (directives->has_trace && directives->has_budget)
		argp_error(state, "--trace: nothing is left out (--budget)");
	if (directives->has_trace && directives->has_callers)
		argp_error(state, "--trace: not with --jni-env or "
				  "--jit-callers");
	if (directives->has_least && !directives->has_trace)
		argp_error(state, "--min-duration: of a trace's calls; it goes "
				  "with --trace");
	if (directives->has_overflow && !directives->has_trace)
		argp_error(state, "--on-overflow: of a trace's packets; it "
				  "goes with --trace");
	if (directives->workers &&
	    (!directives->has_trace || !directives->has_overflow ||
	     directives->drops))
		argp_error(state, "--workers: they count calls before these "
				  "are overwritten; it goes with "
				  "--on-overflow=process or wait");
	if (directives->has_depth && !directives->has_trace)
		argp_error(state, "--trace-depth: of a trace's calls; it goes "
				  "with --trace");
	if (directives->has_sites && !directives->has_trace)
		argp_error(state, "--sites: of a trace's calls; it goes with "
				  "--trace");
	if (directives->has_least && directives->has_stamps)
		argp_error(state, "--min-duration: it goes with --stamps=all");
	if (directives->folds_recursion && directives->has_trace)
		argp_error(state, "--fold-recursion: not with --trace, which "
				  "has each call where it was made");
	if (directives->folds_recursion && directives->is_exact)
		argp_error(state, "--fold-recursion: times of calls within "
				  "each other cannot be added up "
				  "(--time=exact)");
	if (directives->folds_recursion && directives->is_exact_java)
		argp_error(state, "--fold-recursion: Java methods keep their "
				  "contexts (--java=exact, standby)");
	if (directives->has_budget && directives->is_exact)
		argp_error(state, "--budget: what is left out cannot be "
				  "measured (--time=exact)");
	if (directives->has_budget && directives->is_exact_java)
		argp_error(state, "--budget: Java methods cannot be left out "
				  "(--java=exact, standby, inplace)");
	if (directives->is_exact_java && directives->is_exact)
		argp_error(state,
			   "--java=exact, standby, inplace: Java methods "
			   "cannot be measured (--time=exact)");
}
