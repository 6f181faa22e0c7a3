/* SPDX-License-Identifier: MIT */
/* `clew annotate`: shows the cost of a function by line and instruction. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/help.h"
#include "cli/show/source_paths.h"
#include "cli/show/view.h"
#include "report/code/annotation.h"
#include "report/code/source_files.h"
#include "report/model/announced_lines.h"
#include "report/view/finder.h"

enum {
	KEY_SOURCE = 's',
	KEY_INSTRUCTIONS = 'i',
	KEY_ALL = 'a',
	KEY_MODULE = 'm',
	KEY_QUIET = 'q',
	KEY_TOP = 'n',
	KEY_SOURCE_PATH = 0x300,
	KEY_THREAD,
	KEY_PROCESS,
	KEY_JSON,
	KEY_FULL_NAMES,
	DEFAULT_TOP = 5,
};

struct annotate_options {
	struct view_options view;
	const char *function;
	struct source_files sources;
	size_t top; /* Maximal number of functions; 0: all. */
	int is_source_only, is_code_only, shows_all;
};

static const struct argp_option argp_options[] = {
	{ "source", KEY_SOURCE, NULL, HELP_FIRST,
	  "Show only source lines, in the order of the file", HELP_VIEWS },
	{ "instructions", KEY_INSTRUCTIONS, NULL, HELP_FIRST,
	  "Show only instructions", HELP_VIEWS },
	{ "all", KEY_ALL, NULL, HELP_FIRST,
	  "Show also code that is far from any time", HELP_VIEWS },
	ROW_SOURCE_PATH(KEY_SOURCE_PATH, HELP_FIRST),
	{ "module", KEY_MODULE, "GLOB", HELP_FIRST,
	  "Show only functions of matching modules", HELP_FILTERS },
	ROW_THREAD(KEY_THREAD, HELP_FIRST),
	ROW_PROCESS(KEY_PROCESS, HELP_FIRST),
	{ "top", KEY_TOP, "N", HELP_FIRST,
	  "Show N functions of this name (default: 5; 0: all)", HELP_VIEWS },
	ROW_FULL_NAMES(KEY_FULL_NAMES),
	{ "quiet", KEY_QUIET, NULL, HELP_FIRST, "Print no progress",
	  HELP_CONTENTS },
	{ "json", KEY_JSON, NULL, HELP_FIRST, "Write JSON (see clew-json(5))",
	  HELP_CONTENTS },
	{ 0 },
};

static void check(const struct annotate_options *options,
		  struct argp_state *state)
{
	if (options->is_source_only && options->is_code_only)
		argp_error(state,
			   "--source and --instructions exclude each other");
}

static void take_argument(struct annotate_options *options, char *argument,
			  struct argp_state *state)
{
	if (state->arg_num == 0)
		options->function = argument;
	else if (state->arg_num == 1)
		options->view.path = argument;
	else
		argp_error(state, "more than one recording is given");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct annotate_options *options = state->input;
	struct view_options *view = &options->view;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &view->terminal;
		view->whose.is_only_merged = 1;
		return 0;
	case KEY_SOURCE:
		options->is_source_only = 1;
		return 0;
	case KEY_INSTRUCTIONS:
		options->is_code_only = 1;
		return 0;
	case KEY_ALL:
		options->shows_all = 1;
		return 0;
	case KEY_SOURCE_PATH:
		parse_source_path(state, argument, &options->sources);
		return 0;
	case KEY_MODULE:
		view->selection.module = argument;
		return 0;
	case KEY_THREAD:
		view->whose.thread = argument;
		return 0;
	case KEY_PROCESS:
		view->whose.pid = (uint32_t)parse_number(state, "process",
							 argument, INT32_MAX);
		return 0;
	case KEY_TOP:
		options->top = parse_number(state, "top", argument, UINT32_MAX);
		return 0;
	case KEY_QUIET:
		view->is_quiet = 1;
		return 0;
	case KEY_FULL_NAMES:
		view->shows_full_names = 1;
		return 0;
	case KEY_JSON:
		view->writer = &writer_json;
		return 0;
	case ARGP_KEY_ARG:
		take_argument(options, argument, state);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a function is missing; `clew report` lists "
				  "the functions with the most time");
		return 0;
	case ARGP_KEY_END:
		check(options, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- Choosing the functions ---- */

/* Functions that were chosen, those with the most time first. */
struct annotated_functions {
	struct annotated_function {
		uint32_t function;
		struct measure self;
	} * items;
	size_t count;
};

static int has_more(const void *a, const void *b)
{
	const struct annotated_function *one = a, *other = b;

	if (one->self.ns != other->self.ns)
		return (one->self.ns < other->self.ns) -
		       (one->self.ns > other->self.ns);
	if (one->self.calls != other->self.calls)
		return (one->self.calls < other->self.calls) -
		       (one->self.calls > other->self.calls);
	return (one->function > other->function) -
	       (one->function < other->function);
}

/* Returns the time and calls of each function itself. The caller frees it. */
static struct measure *function_selves(const struct session *session)
{
	const struct tree *tree = &session->tree;
	struct measure *selves =
		memory_zeroed(session->catalog.function_count, sizeof(*selves));

	for (size_t i = TREE_ROOT + 1; i < tree->count; i++) {
		const struct measure self = tree_self(tree, i);

		measure_add(&selves[whole_function(&session->catalog,
						   tree->nodes[i].function)],
			    &self);
	}
	return selves;
}

/*
 * Finds the function that the user names, and its copies, among the selected
 * functions with time or calls of their own. Returns 1; or 0 if no function
 * matches or several different ones do.
 */
static int choose(struct annotated_functions *chosen, struct session *session,
		  const struct selection *selection, const char *name)
{
	const size_t count = session->catalog.function_count;
	struct measure *selves = function_selves(session);
	uint8_t *has_data = memory_zeroed(count + 1, sizeof(*has_data)), *mask;

	for (uint32_t i = 0; i < count; i++)
		has_data[i] =
			(selves[i].ns || selves[i].calls) &&
			selection_has_function(selection, &session->catalog, i);
	*chosen = (struct annotated_functions){ 0 };
	if (finder_mask(&session->catalog, has_data, name, &mask) == 0) {
		chosen->items = memory_zeroed(count, sizeof(*chosen->items));
		for (uint32_t i = 0; i < count; i++)
			if (mask[i])
				chosen->items[chosen->count++] =
					(struct annotated_function){
						i, selves[i]
					};
		qsort(chosen->items, chosen->count, sizeof(*chosen->items),
		      has_more);
		free(mask);
	}
	free(has_data);
	free(selves);
	return chosen->count > 0;
}

/*
 * Finds the named function, also an inlined one, and its copies. If it cannot
 * be shown, prints a message and returns the exit status.
 */
static int find_functions(const char *command, struct session *session,
			  const struct annotate_options *options,
			  struct annotated_functions *chosen)
{
	uint8_t *mask;
	int status;

	for (int is_inlined = 0; is_inlined < 2; is_inlined++) {
		if (is_inlined)
			session_inline(session);
		if (choose(chosen, session, &options->view.selection,
			   options->function))
			return EXIT_SUCCESS;
	}
	status = view_find(command, &options->view, session, options->function,
			   &mask);
	if (status)
		return status;
	free(mask);
	complain(command, "%s: has neither time nor calls in the recording%s",
		 options->function,
		 options->view.selection.module ? ", in a module that matches"
						: "");
	return EXIT_FAILURE;
}

/* ---- Output, and the whole command ---- */

/*
 * Returns why nothing can be shown of any function; NULL if something can be
 * shown.
 */
static const char *why_nothing(const struct annotate_options *options,
			       const struct annotation *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (items[i].code.count > 0 ||
		    (items[i].line_count > 0 && !options->is_code_only))
			return NULL;
	return items[0].why ? items[0].why
			    : "neither its code nor its lines are known";
}

/* Writes the chosen functions. Returns the exit status. */
static int write_functions(const char *command, struct session *session,
			   struct annotate_options *options,
			   const struct annotation *items, size_t count,
			   size_t omitted)
{
	const char *why = why_nothing(options, items, count);

	if (why) {
		complain(command, "%s cannot be shown: %s", options->function,
			 why);
		return EXIT_FAILURE;
	}
	view_begin(&options->view, session);
	options->view.writer->annotation(
		stdout, session,
		&(struct annotation_view){
			.items = items,
			.count = count,
			.omitted = omitted,
			.sources = &options->sources,
			.is_source_only = options->is_source_only,
			.is_code_only = options->is_code_only,
			.shows_all = options->shows_all,
		});
	return view_finish(&options->view, command);
}

static int annotate(const char *command, struct session *session,
		    struct annotate_options *options,
		    const struct annotated_functions *chosen,
		    const struct call_sites *sites)
{
	const size_t count = options->top > 0 && options->top < chosen->count
				     ? options->top
				     : chosen->count;
	struct annotation *items = memory_zeroed(count, sizeof(*items));
	int status;

	for (size_t i = 0; i < count; i++)
		annotation_init(&items[i], session, chosen->items[i].function,
				sites);
	status = write_functions(command, session, options, items, count,
				 chosen->count - count);
	for (size_t i = 0; i < count; i++)
		annotation_fini(&items[i]);
	free(items);
	return status;
}

static int show(const char *command, struct session *session, void *input)
{
	struct annotate_options *options = input;
	struct call_sites sites = { 0 };
	struct annotated_functions chosen;
	char *why;
	int status;

	if (session->summary.samples == 0 && !session->has_call_sites) {
		complain(command,
			 "the recording has neither samples nor call sites; "
			 "record with --time=cpu, --time=wall or --trace "
			 "--sites");
		return EXIT_FAILURE;
	}
	status = find_functions(command, session, options, &chosen);
	if (status)
		return status;
	if (call_sites_read(&sites, session, options->view.path,
			    &options->view.whose, &why) != 0) {
		free(chosen.items);
		return give_up(command, why);
	}
	status = annotate(command, session, options, &chosen, &sites);
	call_sites_fini(&sites);
	free(chosen.items);
	return status;
}

int command_annotate(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "FUNCTION [REC]",
		.doc = "Show the time of a function by source line and "
		       "instruction.",
		.children = terminal_children,
	};
	struct annotate_options options = { .top = DEFAULT_TOP };
	const int status =
		view_command(&argp, argc, argv, &options.view, show, &options);

	source_files_fini(&options.sources);
	return status;
}
