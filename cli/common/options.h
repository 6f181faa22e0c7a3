/* SPDX-License-Identifier: MIT */
/* Options of commands that show recordings, for the commands' own argp. */
#ifndef CLEW_CLI_COMMON_OPTIONS_H
#define CLEW_CLI_COMMON_OPTIONS_H

#include <argp.h>
#include <sys/types.h>

#include "base/progress.h"
#include "cli/common/command.h"
#include "cli/common/help.h"
#include "cli/common/option_values.h"
#include "cli/common/saved_view.h"
#include "cli/common/terminal.h"
#include "cli/common/trace_options.h"
#include "report/merge/merge.h"
#include "report/view/selection.h"
#include "report/view/transform.h"
#include "report/write/writer.h"

struct view_options {
	const char *path; /* Path of the recording. */
	struct whose whose;
	struct selection selection;
	regex_t regex; /* Referenced by selection.function, if set. */
	struct transform transform;
	regex_t focus, ignore, collapse; /* Referenced by transform, if set. */
	struct saved_view saved; /* The texts of selection and transform. */
	char *folds_text;        /* All texts of --fold, or NULL. */
	/* Names of the views to read and to save, or NULL. */
	const char *view_name, *saved_name;
	const struct report_writer *writer;
	int shows_lines;
	int shows_inlines;
	int is_quiet; /* Print tables only, no lines about the recording. */
	int shows_details;
	int shows_full_names;
	struct terminal terminal;
	struct progress progress;
	struct window_options window; /* For commands with window_argp. */
	int narrows; /* The tree is limited to the window: check_window(). */
	int takes_baselines; /* `path` may be a baseline (clew export) */
	/* enum metric; -1: time if the recording has any, otherwise calls */
	int metric;
};

/* Rows that several commands have in their tables of options. */
/* clang-format off */
#define ROW_OUTPUT(flags) \
	{ "output", 'o', "PATH", flags, \
	  "Where to write the recording (default: " DEFAULT_RECORDING ")", \
	  HELP_OUTPUT }

#define ROW_QUIET \
	{ "quiet", 'q', NULL, 0, "Print errors only", HELP_OUTPUT }

#define ROW_JSON(key) \
	{ "json", key, NULL, 0, "Write JSON (see clew-json(5))", HELP_CONTENTS }

#define ROW_MODULE(key) \
	{ "module", key, "GLOB", HELP_FIRST, \
	  "Show only functions of matching modules", HELP_FILTERS }

#define ROW_FUNCTION(key) \
	{ "function", key, "REGEX", HELP_FIRST, \
	  "Show only functions whose names match", HELP_FILTERS }

#define ROW_FULL_NAMES(key) \
	{ "full-names", key, NULL, 0, \
	  "Show the full names of functions, with all arguments", \
	  HELP_CONTENTS }

#define ROW_THREAD(key, flags) \
	{ "thread", key, "TID|NAME", flags, \
	  "Count only calls of this thread", HELP_FILTERS }

#define ROW_PROCESS(key, flags) \
	{ "process", key, "PID", flags, \
	  "Count only calls of this process", HELP_FILTERS }

#define ROW_TOP(key) \
	{ "top", key, "N", HELP_FIRST, \
	  "Show the first N rows (default: 40 as text; 0: all)", HELP_VIEWS }

/* For set_value(). */
#define ROW_VALUE(key, flags, group) \
	{ "value", key, "NAME", flags, \
	  "Show what an agent counted as NAME, instead of time", group }
/* clang-format on */

/* Use as .children; child_inputs[0] is a struct view_options. */
extern const struct argp_child view_children[];

/* The options for a command with a screen, without those for printed output. */
extern const struct argp screen_argp;

/*
 * Called after all options are parsed. If a period of time is given, calls
 * argp_error() for options that exclude it, and limits the tree of the session
 * to the period.
 */
void check_window(struct view_options *options, struct argp_state *state);

/* Sets the defaults, before parsing. */
void view_options_init(struct view_options *options);
void view_options_fini(struct view_options *options);

/*
 * Sets selection->function to `regex`, in which it stores the compiled
 * expression. Calls argp_error() if the text is no regular expression or a
 * function is set already.
 */
void parse_function(struct argp_state *state, const char *text, regex_t *regex,
		    struct selection *selection);

/* Parses "process" or "thread", or calls argp_error(). */
enum grouping parse_grouping(struct argp_state *state, const char *text);

/*
 * set_value() shows what an agent counted by that name, instead of time.
 * check_value(), after all options are parsed, calls argp_error() for options
 * about threads, because values do not belong to threads.
 */
void set_value(struct view_options *options, const char *name);
void check_value(const struct view_options *options, struct argp_state *state);

#endif
