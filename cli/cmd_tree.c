/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "cli/command.h"
#include "cli/view.h"
#include "report/view/views.h"

enum {
	KEY_DEPTH = 'd',
	KEY_THRESHOLD = 't',
	KEY_CALLERS_OF = 'c',
	KEY_GROUP = 'g',
	KEY_VALUE = 0x300,
	/*
	 * A recursion of n levels has n^2 / 2 callers of callers, so chains
	 * end somewhere unless all of them are asked for.
	 */
	DEFAULT_CALLERS_DEPTH = 32,
};

struct tree_options {
	struct view_options view;
	struct tree_limits limits;
	const char *callers_of;
	int has_depth;
};

static const struct argp_option argp_options[] = {
	{ "depth", KEY_DEPTH, "N", 0,
	  "Show N levels (default: all, 32 with --callers-of; 0: all)", 0 },
	{ "threshold", KEY_THRESHOLD, "PERCENT", 0,
	  "Hide subtrees that have less than PERCENT of everything", 0 },
	{ "group", KEY_GROUP, "process|thread", 0,
	  "Show each process or thread by itself", 0 },
	{ "callers-of", KEY_CALLERS_OF, "FN", 0,
	  "Show this function, its callers, their callers, and so on", 0 },
	{ "value", KEY_VALUE, "NAME", 0,
	  "Show what an agent in the program counted by that name, in place "
	  "of time",
	  0 },
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct tree_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->view;
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
	case KEY_VALUE:
		set_value(&options->view, argument);
		return 0;
	case ARGP_KEY_END:
		check_value(&options->view, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int write_callers(struct session *session,
			 const struct tree_options *options,
			 const struct tree *tree)
{
	struct tree_view view = { .limits = options->limits,
				  .shows_callers = 1 };
	struct tree callers;
	uint8_t *chosen =
		selection_named(&session->catalog, options->callers_of);

	if (!chosen)
		return -1;
	if (!options->has_depth)
		view.limits.depth = DEFAULT_CALLERS_DEPTH;
	tree_callers(tree, chosen, view.limits.depth, &callers);
	view.tree = &callers;
	options->view.writer->tree(stdout, session, &view);
	tree_fini(&callers);
	free(chosen);
	return 0;
}

/* 0, or -1 if there is no function to show the callers of. */
static int write_tree(struct session *session,
		      const struct tree_options *options)
{
	const struct selection *selection = &options->view.selection;
	struct tree_view view = { .tree = &session->tree,
				  .limits = options->limits };
	struct tree kept;
	uint8_t *mask = NULL;
	int err = 0;

	if (selection->module || selection->function) {
		mask = selection_mask(selection, &session->catalog);
		tree_keep(&session->tree, mask, &kept);
		view.tree = &kept;
	}
	if (options->callers_of)
		err = write_callers(session, options, view.tree);
	else
		options->view.writer->tree(stdout, session, &view);
	if (mask)
		tree_fini(&kept);
	free(mask);
	return err;
}

static int show(const char *command, struct session *session, void *input)
{
	struct tree_options *options = input;
	int err, status;

	view_begin(&options->view, session);
	err = write_tree(session, options);
	status = view_finish(&options->view, command);
	if (err)
		return view_give_up_on(session, command, options->callers_of);
	return status;
}

int command_tree(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "[REC]",
		.doc = "Show who called whom, how often, in which context.",
		.children = view_children,
	};
	struct tree_options options = { 0 };

	return view_command(&argp, argc, argv, &options.view, show, &options);
}
