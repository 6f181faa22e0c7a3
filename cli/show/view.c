/* SPDX-License-Identifier: MIT */
/* See view.h. */
#include "cli/show/view.h"

#include <errno.h>
#include <stdlib.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/show/unmatched.h"
#include "report/trace/window_tree.h"
#include "report/view/baseline.h"

/*
 * Returns -ENODATA and *why if time is requested, but the recording contains no
 * time; otherwise 0.
 */
static int check_metric(const struct view_options *view,
			const struct session *session, char **why)
{
	const struct summary *summary = &session->summary;

	if (view->metric != METRIC_TIME || session->value ||
	    summary->time_ns > 0)
		return 0;
	if (summary_is_sampled(summary))
		return fail(why, -ENODATA,
			    "%s: the recording has no time, because no sample "
			    "was taken; use --metric=calls",
			    view->path);
	return fail(why, -ENODATA,
		    "%s: the recording has no time; use --metric=calls, or "
		    "record with --time=cpu or --trace --stamps=all",
		    view->path);
}

/*
 * Opens a recording, or a baseline if the command takes any. Returns 0, or
 * -errno and *why.
 */
static int open_file(struct view_options *view, struct session *session,
		     char **why)
{
	if (!baseline_is_at(view->path))
		return session_open(session, view->path, &view->whose, why);
	if (!view->takes_baselines)
		return fail(why, -EINVAL,
			    "%s: a baseline, which only clew diff reads",
			    view->path);
	if (view->shows_inlines || view->whose.value || view->whose.thread ||
	    view->whose.pid)
		return fail(why, -EINVAL,
			    "%s: a baseline excludes --inlines, --value, "
			    "--thread and --process",
			    view->path);
	if (transform_is_asked(&view->transform))
		return fail(why, -EINVAL,
			    "%s: a baseline has no contexts, which --focus, "
			    "--ignore, --collapse and --fold need",
			    view->path);
	return baseline_open(session, view->path, why);
}

/*
 * Limits the tree to a period. Returns 0; or -ENODATA and *why if nothing in
 * the recording has a time, or nothing was recorded in the period.
 */
static int narrow(struct view_options *view, struct session *session,
		  char **why)
{
	const uint64_t start_ns = recording_start_ns(&session->recording);
	struct window_source source = {
		.tree = &session->tree,
		.whose = &view->whose,
		.window = window_of(&view->window, start_ns),
		.takes_trace_times =
			session->summary.time == SUMMARY_TIME_TRACE,
	};
	struct traces traces;
	struct tree out;
	char *detail;

	if (traces_open(&traces, &session->recording, &session->catalog,
			&view->whose, &detail) == 0)
		source.traces = &traces;
	else
		free(detail);
	if (!source.traces && session->timeline.count == 0)
		return fail(why, -ENODATA,
			    "%s: the recording has no samples and no trace, so "
			    "nothing has a time; record with --time=cpu or "
			    "--trace",
			    view->path);
	window_tree_init(&out, &source, &session->timeline);
	if (source.traces)
		traces_close(&traces);
	tree_fini(&session->tree);
	session->tree = out;
	session->from_ns =
		source.window.from_ns ? source.window.from_ns - start_ns : 0;
	session->to_ns =
		source.window.to_ns ? source.window.to_ns - start_ns : 0;
	session->has_no_calls = !source.traces;
	summary_narrow(&session->summary, &out);
	if (session->summary.time_ns == 0)
		session->metric = METRIC_CALLS;
	if (out.count == 1)
		return fail(why, -ENODATA,
			    "%s: nothing was recorded in this period; the "
			    "recording lasts %s",
			    view->path,
			    text_duration(session->summary.ran_ns).text);
	return 0;
}

/* Transforms the tree. Returns 0; or -ENODATA and *why if nothing remains. */
static int transform_as_asked(struct view_options *view,
			      struct session *session, char **why)
{
	session_transform(session, &view->transform);
	if (session->tree.count > 1)
		return 0;
	return fail(why, -ENODATA,
		    "%s: %s no context; clew report shows all functions",
		    view->path,
		    view->transform.ignore ? "--focus and --ignore leave"
					   : "--focus matches");
}

/* Opens the session as the options request. Returns 0, or -errno and *why. */
static int open_as_asked(struct view_options *view, struct session *session,
			 char **why)
{
	int err;

	if (!view->is_quiet)
		progress_init(&view->progress);
	view->whose.progress = &view->progress;
	err = open_file(view, session, why);
	if (err) {
		progress_clear(&view->progress);
		unmatched_recording(view->path, err, why);
		return err;
	}
	err = check_metric(view, session, why);
	if (!err && view->narrows)
		err = narrow(view, session, why);
	if (!err && view->shows_inlines)
		session_inline(session);
	if (!err && transform_is_asked(&view->transform))
		err = transform_as_asked(view, session, why);
	if (err) {
		progress_clear(&view->progress);
		session_close(session);
		return err;
	}
	session->shows_lines = view->shows_lines;
	session->is_quiet = view->is_quiet;
	session->shows_details = view->shows_details;
	session->names.are_full = view->shows_full_names;
	if (view->metric >= 0)
		session->metric = (enum metric)view->metric;
	return 0;
}

int view_recording(const char *command, struct view_options *view,
		   view_show *show, void *options)
{
	struct session session;
	char *why;
	int status;

	if (open_as_asked(view, &session, &why) != 0)
		return give_up(command, why);
	status = show(command, &session, options);
	if (session.recording.damage) {
		complain(command, "%s; the rest is shown",
			 session.recording.damage);
		status = status ? status : EXIT_FAILURE;
	}
	session_close(&session);
	return status;
}

/* Appends "--OPTION=TEXT" to the list, which is NULL at first. */
static char *listed(char *list, const char *option, const char *text)
{
	char *longer = memory_printf("%s%s--%s%s", list ? list : "",
				     list ? ", " : "", option, text);

	free(list);
	return longer;
}

/* Warns of transforms that no function of any recording matched. */
static void warn_of_unused(const char *command, const struct view_options *view)
{
	const struct transform *transform = &view->transform;
	const char *const *texts = view->saved.values;
	char *list = NULL;

	if (transform->ignore && !transform->ignore_is_used)
		list = listed(list, "ignore=", texts[SAVED_IGNORE]);
	if (transform->collapse && !transform->collapse_is_used)
		list = listed(list, "collapse=", texts[SAVED_COLLAPSE]);
	for (size_t i = 0; i < transform->fold_count; i++) {
		const struct fold_rule *rule = &transform->folds[i];

		if (rule->is_used)
			continue;
		if (rule->namespace)
			list = listed(list, "fold=", rule->namespace);
		else
			list = listed(list, "fold=module:", rule->module);
	}
	if (list)
		complain(command, "%s: no function that was called matches",
			 list);
	free(list);
}

int view_command(const struct argp *argp, int argc, char **argv,
		 struct view_options *view, view_show *show, void *options)
{
	int status;

	view_options_init(view);
	command_line_parse(argp, argc, argv, 0, options);
	status = view_recording(argv[0], view, show, options);
	if (status == EXIT_SUCCESS)
		warn_of_unused(argv[0], view);
	view_options_fini(view);
	return status;
}

void view_begin(struct view_options *view, struct session *session)
{
	progress_clear(&view->progress);
	session->width = terminal_prose_width(&view->terminal);
	session->columns = terminal_table_width(&view->terminal);
	session->has_color = terminal_begin(&view->terminal);
}

int view_finish(struct view_options *view, const char *command)
{
	return terminal_finish(&view->terminal, command);
}

int view_give_up_on(struct session *session, const char *command,
		    const char *function)
{
	return unmatched_function(command, function, &session->catalog);
}

/*
 * Returns the mask of the functions of --module, or NULL if this option is not
 * given. Removes all others from `called`.
 */
static uint8_t *selected_among(const char *module, struct catalog *catalog,
			       uint8_t *called)
{
	const struct selection selection = { .module = module };
	uint8_t *selected;

	if (!module)
		return NULL;
	selected = selection_mask(&selection, catalog);
	for (uint32_t i = 0; i < catalog->function_count; i++)
		called[i] &= selected[i];
	return selected;
}

/*
 * Prints that no function of --module matches, or none at all. Returns the exit
 * status.
 */
static int give_up_in(const char *command, const char *name, const char *module,
		      struct catalog *catalog)
{
	struct found_functions found;

	if (!module || finder_find(catalog, NULL, name, &found) == -ESRCH)
		return unmatched_function(command, name, catalog);
	found_fini(&found);
	complain(command, "%s: no such function in a module that matches %s",
		 name, module);
	return EXIT_FAILURE;
}

int view_find(const char *command, const struct view_options *view,
	      struct session *session, const char *name, uint8_t **chosen)
{
	struct catalog *catalog = &session->catalog;
	uint8_t *called = finder_called(catalog, &session->tree);
	uint8_t *selected =
		selected_among(view->selection.module, catalog, called);
	const uint8_t *candidates = called;
	struct found_functions found;
	int status = EXIT_SUCCESS;
	int err = finder_find(catalog, candidates, name, &found);

	if (err == -ESRCH) {
		candidates = selected;
		err = finder_find(catalog, candidates, name, &found);
	}
	if (err == -ESRCH) {
		free(called);
		free(selected);
		return give_up_in(command, name, view->selection.module,
				  catalog);
	}
	if (err) {
		status = unmatched_several(command, name, catalog, candidates,
					   &found);
	} else {
		*chosen = found.chosen;
		found.chosen = NULL;
	}
	found_fini(&found);
	free(called);
	free(selected);
	return status;
}

void view_print_losses(const struct session *session, const char *command)
{
	const struct summary *summary = &session->summary;
	uint64_t calls = summary->folded_calls, samples = 0;

	if (session->recording.damage)
		return;
	for (unsigned int i = 0; i < WIRE_LOSS_COUNT; i++)
		calls += summary->lost_calls[i];
	for (unsigned int i = 0; i < WIRE_SAMPLE_LOSS_COUNT; i++)
		samples += summary->lost_samples[i];
	if (calls > 0 || samples > 0 || summary->budget.functions > 0 ||
	    session->recording.problem_count >
		    session->recording.expected_count)
		complain(command,
			 "the recording is incomplete; see `clew report`");
}

int view_check_selection(const char *command, const struct view_options *view,
			 struct session *session)
{
	if (selection_has_any(&view->selection, &session->catalog,
			      &session->tree))
		return EXIT_SUCCESS;
	return unmatched_selection(command, &view->selection,
				   &session->catalog);
}
