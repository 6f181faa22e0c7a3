/* SPDX-License-Identifier: MIT */
/* `clew tree`: shows the calling context tree of a recording. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/help.h"
#include "cli/show/context_object.h"
#include "cli/show/view.h"
#include "report/view/representation.h"
#include "report/view/views.h"

enum {
	KEY_DEPTH = 'd',
	KEY_THRESHOLD = 't',
	KEY_CALLERS_OF = 'c',
	KEY_GROUP = 'g',
	KEY_VALUE = 0x300,
	KEY_CONTEXT,
	/*
	 * A recursion of n levels has n^2 / 2 callers of callers, so chains are
	 * limited unless the user asks for all.
	 */
	DEFAULT_CALLERS_DEPTH = 32,
};

struct tree_options {
	struct view_options view;
	struct tree_limits limits;
	const char *callers_of;
	uint8_t *chosen; /* The functions that callers_of names. */
	/* The kind of context; NULL for chains of functions. */
	const char *context;
	struct label_wish labels;
	char *function; /* Function whose argument is shown. */
	int has_depth;
};

static const struct argp_option argp_options[] = {
	{ "depth", KEY_DEPTH, "N", HELP_FIRST,
	  "Show N levels (default: all; --callers-of: 32)", HELP_VIEWS },
	{ "threshold", KEY_THRESHOLD, "PERCENT", HELP_FIRST,
	  "Hide subtrees with less than PERCENT of the total", HELP_VIEWS },
	{ "group", KEY_GROUP, "process|thread", HELP_FIRST,
	  "Show a tree for each process or thread", HELP_VIEWS },
	{ "callers-of", KEY_CALLERS_OF, "FN", HELP_FIRST,
	  "Show a function and its chains of callers", HELP_VIEWS },
	{ "context", KEY_CONTEXT,
	  "function|site|FN@ARG|module|file|class|OBJECT", HELP_FIRST,
	  "What a context consists of (default: function)", HELP_VIEWS },
	ROW_VALUE(KEY_VALUE, 0, HELP_VIEWS),
	{ 0 },
};

/* Returns the index, or REPRESENT_COUNT. */
static size_t find_representation(const char *name)
{
	size_t i = 0;

	while (i < REPRESENT_COUNT &&
	       strcmp(representation_names[i], name) != 0)
		i++;
	return i;
}

/* Returns ARG of "FN@ARG", or NULL. C++ names contain no '@'. */
static const char *argument_in(const char *name)
{
	const char *at = strchr(name, '@');

	return at && at > name && at[1] && !strchr(name, '/') ? at + 1 : NULL;
}

/* Returns whether the session's own tree has these contexts. */
static int is_as_opened(const char *name)
{
	return strcmp(name, "function") == 0 || strcmp(name, "site") == 0 ||
	       argument_in(name);
}

/*
 * Sets how calls are split into contexts. `text` is the value of --context,
 * which check_context() has accepted.
 */
static void set_context(struct tree_options *options, const char *text)
{
	const int is_object = strchr(text, '/') != NULL;
	const char *argument = argument_in(text);

	free(options->function);
	options->function =
		argument ? memory_string(text, (size_t)(argument - 1 - text))
			 : NULL;
	options->context = text;
	options->labels = (struct label_wish){
		.has_sites = is_object || strcmp(text, "site") == 0,
		.has_values = is_object,
		.is_optional = is_object,
		.function = options->function,
		.argument = argument,
	};
	options->view.whose.labels =
		options->labels.has_sites || argument ? &options->labels : NULL;
}

static void check_context(const char *text, struct argp_state *state)
{
	static const char *const known[] = { "function",   "site",  "module",
					     "file",       "class", "FN@ARG",
					     "./OBJECT.so" };

	if (!is_as_opened(text) && !strchr(text, '/') &&
	    find_representation(text) == REPRESENT_COUNT)
		refuse_word(state, "context", text, known,
			    sizeof(known) / sizeof(*known));
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct tree_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->view;
		state->child_inputs[1] = &options->view.window;
		options->view.whose.is_only_merged = 1;
		return 0;
	case KEY_DEPTH:
		options->limits.depth = (uint32_t)parse_number(
			state, "depth", argument, UINT32_MAX);
		options->has_depth = 1;
		return 0;
	case KEY_THRESHOLD:
		options->limits.threshold_percent =
			parse_percent(state, argument);
		return 0;
	case KEY_GROUP:
		options->view.whose.grouping = parse_grouping(state, argument);
		return 0;
	case KEY_CALLERS_OF:
		options->callers_of = argument;
		return 0;
	case KEY_CONTEXT:
		check_context(argument, state);
		set_context(options, argument);
		return 0;
	case KEY_VALUE:
		set_value(&options->view, argument);
		return 0;
	case ARGP_KEY_END:
		if (options->context && options->callers_of)
			argp_error(state, "--context and --callers-of exclude "
					  "each other");
		if (options->view.whose.labels && options->view.whose.value &&
		    !options->labels.is_optional)
			complain_of_usage(
				state,
				"--context=%s and --value exclude each other",
				options->context);
		if (options->view.whose.value)
			options->view.whose.labels = NULL;
		check_value(&options->view, state);
		check_window(&options->view, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void write_callers(struct session *session,
			  const struct tree_options *options,
			  const struct tree *tree)
{
	struct tree_view view = { .limits = options->limits,
				  .shows_callers = 1 };
	struct tree callers;

	if (!options->has_depth)
		view.limits.depth = DEFAULT_CALLERS_DEPTH;
	tree_callers(tree, options->chosen, view.limits.depth, &callers);
	view.tree = &callers;
	options->view.writer->tree(stdout, session, &view);
	tree_fini(&callers);
}

/*
 * Writes chains of functions, or the requested contexts. Returns 0, or -errno
 * and *why.
 */
static int write_contexts(struct session *session,
			  const struct tree_options *options,
			  struct tree_view *view, char **why)
{
	const char *text = options->context;
	const size_t by = text ? find_representation(text) : REPRESENT_COUNT;
	struct tree represented;

	if (!text || is_as_opened(text)) {
		options->view.writer->tree(stdout, session, view);
		return 0;
	}
	if (by < REPRESENT_COUNT) {
		tree_represent_by(view->tree, &session->catalog,
				  (enum represented_by)by, &represented);
	} else {
		const int err = context_object_represent(
			text, view->tree, &session->catalog, &represented, why);

		if (err)
			return err;
	}
	view->tree = &represented;
	options->view.writer->tree(stdout, session, view);
	tree_fini(&represented);
	return 0;
}

/* Writes the tree. Returns 0, or 1 and *why. */
static int write_tree(struct session *session,
		      const struct tree_options *options, char **why)
{
	const struct selection *selection = &options->view.selection;
	struct tree_view view = { .tree = &session->tree,
				  .limits = options->limits };
	struct tree kept;
	uint8_t *mask = NULL;
	int err = 0;

	if (selection_is_asked(selection)) {
		mask = selection_mask(selection, &session->catalog);
		tree_keep(&session->tree, mask, &kept);
		view.tree = &kept;
	}
	if (options->callers_of)
		write_callers(session, options, view.tree);
	else if (write_contexts(session, options, &view, why))
		err = 1;
	if (mask)
		tree_fini(&kept);
	free(mask);
	return err;
}

static int show(const char *command, struct session *session, void *input)
{
	struct tree_options *options = input;
	int err, status;
	char *why;

	status = view_check_selection(command, &options->view, session);
	if (!status && options->callers_of)
		status = view_find(command, &options->view, session,
				   options->callers_of, &options->chosen);
	if (status)
		return status;
	view_begin(&options->view, session);
	err = write_tree(session, options, &why);
	status = view_finish(&options->view, command);
	free(options->chosen);
	return err ? give_up(command, why) : status;
}

int command_tree(int argc, char **argv)
{
	const struct argp_child children[] = {
		{ .argp = view_children[0].argp },
		{ .argp = &later_window_argp },
		{ 0 },
	};
	const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "[REC]",
		.doc = "Show the tree of calling contexts, with the calls and "
		       "the time of each.",
		.children = children,
	};
	struct tree_options options = { 0 };
	const int status =
		view_command(&argp, argc, argv, &options.view, show, &options);

	free(options.function);
	return status;
}
