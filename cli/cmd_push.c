/* SPDX-License-Identifier: MIT */
/* `clew push`: sends a recording to a store of profiles. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/now.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/help.h"
#include "cli/push/push.h"
#include "cli/show/view.h"
#include "report/view/prune.h"
#include "report/view/since.h"
#include "report/view/views.h"

enum {
	KEY_GROUP = 'g',
	KEY_VALUE = 0x300,
	KEY_SINCE,
	KEY_NOW,
	KEY_EMPTY_STATUS
};

struct push_command {
	struct view_options view;
	struct push_options push;
	struct push request;
	const char *since; /* an earlier snapshot, or NULL */
	int is_now;        /* whether the profile ends at the present time */
	int empty_status;  /* exit status if there is nothing to push */
	struct export export;
};

static const struct argp_option argp_options[] = {
	{ "since", KEY_SINCE, "PATH", HELP_FIRST,
	  "Send only what an earlier snapshot of the processes lacks",
	  HELP_CONTENTS },
	{ "now", KEY_NOW, NULL, 0,
	  "Give the profile the present time, not that of the recording",
	  HELP_CONTENTS },
	{ "group", KEY_GROUP, "process|thread", 0,
	  "Separate the calls of each process or thread", HELP_CONTENTS },
	ROW_VALUE(KEY_VALUE, 0, HELP_CONTENTS),
	/* For `clew attach --push`, which counts pushes. */
	{ "empty-status", KEY_EMPTY_STATUS, "N", OPTION_HIDDEN, NULL, 0 },
	{ 0 },
};

/* ---- Options ---- */

/*
 * Takes the arguments. The last one is the address, the one before it the
 * recording.
 */
static void take_arguments(struct push_command *command,
			   struct argp_state *state)
{
	const int count = state->argc - state->next;
	char **arguments = state->argv + state->next;

	if (count > 2)
		argp_error(state, "more than one recording and one address are "
				  "given");
	if (count == 2)
		command->view.path = arguments[0];
	/* A recording alone would be taken for the name of a host. */
	if (count > 1 || access(arguments[0], F_OK) != 0)
		command->push.url = arguments[count - 1];
}

static void check(const struct push_command *command, struct argp_state *state)
{
	const struct view_options *view = &command->view;

	if (!command->push.url)
		argp_error(state, "the address of the store is missing, such "
				  "as http://localhost:4318");
	if (view->writer == &writer_json)
		argp_error(state, "--json: clew push has no such output");
	if (view->shows_inlines)
		argp_error(state,
			   "--inlines: profiles have inlined functions anyway");
	check_value(view, state);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct push_command *command = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &command->push;
		state->child_inputs[1] = &command->view;
		command->view.whose.is_only_merged = 1;
		command->view.whose.by_line = 1;
		return 0;
	case KEY_SINCE:
		command->since = argument;
		return 0;
	case KEY_NOW:
		command->is_now = 1;
		return 0;
	case KEY_EMPTY_STATUS:
		command->empty_status =
			(int)parse_number(state, "empty-status", argument, 255);
		return 0;
	case KEY_GROUP:
		command->view.whose.grouping = parse_grouping(state, argument);
		return 0;
	case KEY_VALUE:
		set_value(&command->view, argument);
		return 0;
	case ARGP_KEY_ARGS:
		take_arguments(command, state);
		return 0;
	case ARGP_KEY_END:
		check(command, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- Creating and sending the profile ---- */

/*
 * Returns when a part ends: when its process ended, or when a copy of a running
 * process's part was written.
 */
static uint64_t end_of_part(const struct part_copy *part)
{
	struct stat status;

	if (part->header->end_ns || stat(part->path, &status) != 0)
		return part->header->end_ns;
	return (uint64_t)status.st_mtim.tv_sec * 1000000000 +
	       (uint64_t)status.st_mtim.tv_nsec;
}

static uint64_t end_of(const struct session *session)
{
	const struct recording *recording = &session->recording;
	uint64_t end_ns = 0;

	for (size_t i = 0; i < recording->part_count; i++) {
		const uint64_t part_ns = end_of_part(&recording->parts[i]);

		end_ns = part_ns > end_ns ? part_ns : end_ns;
	}
	return end_ns;
}

/* Sets the period of the profile; start_ns 0: from the recording's start on. */
static void set_period(struct export *export, uint64_t start_ns)
{
	const struct export_times times = export_times(export);
	uint64_t end_ns = end_of(export->session);

	if (end_ns < times.start_ns + times.duration_ns)
		end_ns = times.start_ns + times.duration_ns;
	export->start_ns = start_ns ? start_ns : times.start_ns;
	if (export->start_ns > end_ns)
		export->start_ns = end_ns;
	export->duration_ns = end_ns - export->start_ns;
}

/* Subtracts the earlier snapshot, after whose end the profile begins. */
static int subtract(const char *name, struct session *earlier, void *input)
{
	struct push_command *command = input;
	struct export *export = &command->export;
	char *why;

	if (!session_has_process_of(export->session, earlier)) {
		fail(&why, -EINVAL,
		     "%s is no earlier snapshot of %s: they have no process "
		     "in common",
		     command->since, command->view.path);
		progress_clear(&command->view.progress);
		return give_up(name, why);
	}
	session_subtract(export->session, earlier);
	export->start_ns = 0;
	set_period(export, end_of(earlier));
	return EXIT_SUCCESS;
}

static int subtract_earlier(const char *name, struct push_command *command)
{
	struct view_options view = command->view;

	if (!command->since)
		return EXIT_SUCCESS;
	view.path = command->since;
	return view_recording(name, &view, subtract, command);
}

static int is_empty(const struct export *export)
{
	const struct measure all = tree_below(export->tree, TREE_ROOT);

	return all.calls == 0 && all.ns == 0;
}

static void move_to_now(struct export *export)
{
	const uint64_t now = now_ns(CLOCK_REALTIME);
	const struct export_times times = export_times(export);

	export->start_ns = now - times.duration_ns;
}

static int send(const char *name, const struct push_command *command,
		struct export *export)
{
	const struct measure all = tree_below(export->tree, TREE_ROOT);
	const struct session *session = export->session;
	const int is_value =
		session->value && session->summary.has_unknown_calls;
	struct push_result result;
	char *why;
	const int err = push_send(&command->request, export, &result, &why);

	progress_clear(export->progress);
	if (!err && !command->view.is_quiet)
		printf("pushed %s %s in %s bytes to %s\n",
		       text_grouped(is_value ? all.ns : all.calls).text,
		       is_value ? session->value->name : "calls",
		       text_grouped(result.bytes).text, command->request.url);
	return err ? give_up(name, why) : finish_output(name);
}

/*
 * If the profile has too many samples, removes the smallest contexts and
 * returns 1, and the caller frees pruned->tree. Otherwise returns 0.
 */
static int limit_samples(const struct push_command *command,
			 struct export *export, struct pruned *pruned)
{
	const size_t limit = command->push.max_samples;

	if (!limit ||
	    !prune_tree(export->tree, &export->session->catalog, limit, pruned))
		return 0;
	export->tree = &pruned->tree;
	return 1;
}

static void print_pruned(const char *name, const struct export *export,
			 const struct pruned *pruned)
{
	const struct measure all = tree_below(export->tree, TREE_ROOT);
	const struct measure *removed = &pruned->removed;
	const double calls =
		all.calls ? 100.0 * (double)removed->calls / (double)all.calls
			  : 0;
	const double time =
		all.ns ? 100.0 * (double)removed->ns / (double)all.ns : 0;

	complain(name,
		 "%s contexts with %s %% of the calls and %s %% of the time "
		 "were sent as %s; see --max-samples",
		 text_grouped(pruned->contexts).text,
		 text_percentage(calls).text, text_percentage(time).text,
		 PRUNED_NAME);
}

static int send_limited(const char *name, const struct push_command *command,
			struct export *export)
{
	struct pruned pruned;
	const int is_pruned = limit_samples(command, export, &pruned);
	const int status = send(name, command, export);

	if (!status && !command->view.is_quiet) {
		if (is_pruned)
			print_pruned(name, export, &pruned);
		view_print_losses(export->session, name);
	}
	if (is_pruned)
		tree_fini(&pruned.tree);
	return status;
}

/* Reports that there is nothing to push. Returns the exit status. */
static int announce_empty(const char *name, struct push_command *command)
{
	progress_clear(&command->view.progress);
	if (!command->view.is_quiet)
		complain(name,
			 "%s: nothing was pushed, because there are no "
			 "calls and no time",
			 command->view.path);
	return command->empty_status;
}

static int show(const char *name, struct session *session, void *input)
{
	struct push_command *command = input;
	const struct selection *selection = &command->view.selection;
	struct export *export = &command->export;
	struct tree kept;
	int status = view_check_selection(name, &command->view, session);

	*export = (struct export){
		.session = session,
		.tree = &session->tree,
		.metric = session->metric,
		.group = command->view.whose.grouping,
		.progress = &command->view.progress,
	};
	set_period(export, 0);
	if (!status)
		status = subtract_earlier(name, command);
	if (status)
		return status;
	if (selection_is_asked(selection)) {
		export->keep = selection_mask(selection, &session->catalog);
		tree_keep(&session->tree, export->keep, &kept);
		export->tree = &kept;
	}
	if (command->is_now)
		move_to_now(export);
	if (!is_empty(export))
		status = send_limited(name, command, export);
	else
		status = announce_empty(name, command);
	if (export->keep)
		tree_fini(&kept);
	free(export->keep);
	return status;
}

int command_push(int argc, char **argv)
{
	const struct argp_child children[] = {
		{ .argp = &push_argp },
		{ .argp = view_children[0].argp },
		{ 0 },
	};
	const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "[REC] URL",
		.doc = "Send a recording to a store of profiles: an "
		       "OpenTelemetry collector, Pyroscope or Parca.",
		.children = children,
	};
	struct push_command command = { 0 };
	char *why;
	int status;

	view_options_init(&command.view);
	push_options_init(&command.push);
	command_line_parse(&argp, argc, argv, 0, &command);
	/* The headers may come from a pipe, which can be read only once. */
	if (push_begin(&command.request, &command.push, &why) != 0) {
		status = give_up(argv[0], why);
	} else {
		status = view_recording(argv[0], &command.view, show, &command);
		push_end(&command.request);
	}
	view_options_fini(&command.view);
	push_options_fini(&command.push);
	return status;
}
