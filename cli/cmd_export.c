/* SPDX-License-Identifier: MIT */
/* `clew export`: writes a recording in another tool's format. */
#include "report/export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "cli/common/command.h"
#include "cli/common/help.h"
#include "cli/common/replacement.h"
#include "cli/common/trace_options.h"
#include "cli/show/view.h"
#include "report/view/views.h"

enum {
	KEY_FORMAT = 'F',
	KEY_OUTPUT = 'o',
	KEY_GROUP = 'g',
	KEY_ANNOTATE = 'a',
	KEY_VALUE = 0x300,
	FORMATS_MAX = 32,
};

struct export_options {
	struct view_options view;
	const struct export_format *format;
	const char *output; /* NULL for stdout. */
	int annotates;
};

static const struct argp_option argp_options[] = {
	{ "format", KEY_FORMAT, "FORMAT", HELP_FIRST,
	  "Format to write (required; see below)", HELP_OUTPUT },
	{ "output", KEY_OUTPUT, "FILE", HELP_FIRST,
	  "Where to write (default: stdout)", HELP_OUTPUT },
	{ "group", KEY_GROUP, "process|thread", HELP_FIRST,
	  "Separate the calls of each process or thread", HELP_CONTENTS },
	{ "annotate", KEY_ANNOTATE, NULL, 0,
	  "Mark kernel, JIT and inlined functions (folded only)",
	  HELP_CONTENTS },
	ROW_VALUE(KEY_VALUE, 0, HELP_CONTENTS),
	{ 0 },
};

/* ---- Options ---- */

static void check(const struct export_options *options,
		  struct argp_state *state)
{
	const struct export_format *format = options->format;

	if (!format) {
		argp_error(
			state,
			"--format is missing; `clew export --help` lists the "
			"formats");
		return;
	}
	if (options->view.writer == &writer_json)
		argp_error(state, "--json: exports have no such option; use "
				  "--format json");
	if (options->view.whose.value && format->no_value)
		complain_of_usage(state, "--format=%s excludes --value",
				  format->name);
	if (options->view.whose.grouping && format->no_group)
		complain_of_usage(state, "--format=%s excludes --group",
				  format->name);
	if (transform_is_asked(&options->view.transform) &&
	    format->likes_traces && !format->has_tree)
		complain_of_usage(state,
				  "--format=%s excludes --focus, --ignore, "
				  "--collapse and --fold",
				  format->name);
	if (options->view.shows_inlines && format->no_inlines)
		complain_of_usage(state, "--format=%s excludes --inlines",
				  format->name);
	if (format->save && !options->output)
		complain_of_usage(state, "--format=%s needs --output",
				  format->name);
	if (format->is_binary && !options->output && isatty(STDOUT_FILENO))
		complain_of_usage(state,
				  "--format=%s is binary and cannot go to a "
				  "terminal; give "
				  "--output",
				  format->name);
}

static int wants_samples(const struct export_options *options)
{
	return !options->view.whose.value && (options->format->needs_samples ||
					      (options->format->likes_samples &&
					       !options->view.shows_inlines));
}

static void refuse_format(struct argp_state *state, const char *word)
{
	const char *names[FORMATS_MAX];
	size_t count = 0;

	while (count < FORMATS_MAX && export_formats[count].name) {
		names[count] = export_formats[count].name;
		count++;
	}
	refuse_word(state, "format", word, names, count);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct export_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->view;
		options->view.whose.is_only_merged = 1;
		state->child_inputs[1] = &options->view.window;
		return 0;
	case KEY_FORMAT:
		options->format = export_format_named(argument);
		if (!options->format)
			refuse_format(state, argument);
		return 0;
	case KEY_OUTPUT:
		options->output = strcmp(argument, "-") == 0 ? NULL : argument;
		return 0;
	case KEY_GROUP:
		options->view.whose.grouping = parse_grouping(state, argument);
		return 0;
	case KEY_ANNOTATE:
		options->annotates = 1;
		return 0;
	case KEY_VALUE:
		set_value(&options->view, argument);
		return 0;
	case ARGP_KEY_END:
		check(options, state);
		check_value(&options->view, state);
		options->view.whose.with_timeline = wants_samples(options);
		/* Formats of single calls alone have their own window. */
		if (!options->format->likes_traces || options->format->has_tree)
			check_window(&options->view, state);
		else if (options->view.whose.value &&
			 window_is_asked(&options->view.window))
			argp_error(state, "--value excludes --from, --to and "
					  "--around: values have no times");
		options->view.whose.by_line |= options->format->by_line;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Returns the list of formats, which follows the options. */
static char *help_filter(int key, const char *text, void *input)
{
	char *help = NULL;
	size_t length;
	FILE *out;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	out = open_memstream(&help, &length);
	if (!out)
		return NULL;
	fputs("Formats:\n", out);
	for (const struct export_format *format = export_formats; format->name;
	     format++)
		fprintf(out, "  %-14s %s\n", format->name, format->says);
	fclose(out);
	return help;
}

/* ---- Writing, and the whole command ---- */

/* Adds the file's name to an error. Returns err. */
static int name_file(int err, const char *name, char **why)
{
	char *detail = *why;

	fail(why, err, "%s: %s", name, detail);
	free(detail);
	return err;
}

static int write_file(struct export *export,
		      const struct export_options *options, char **why)
{
	const struct recording_readers readers =
		recording_readers(options->view.path);
	struct replacement file;
	int err = replacement_begin(&file, options->output, &readers, why);

	if (err)
		return err;
	if (options->format->save && !file.temporary)
		err = fail(why, -ESPIPE, "not a regular file");
	else if (options->format->save)
		err = options->format->save(export, file.temporary, why);
	else
		err = options->format->write(export, file.out, why);
	if (!err)
		return replacement_commit(&file, why);
	replacement_revert(&file);
	return name_file(err, options->output, why);
}

static int write_export(struct export *export,
			const struct export_options *options, char **why)
{
	int err;

	if (options->output)
		return write_file(export, options, why);
	/* The progress line would disturb the output. */
	if (isatty(STDOUT_FILENO)) {
		progress_clear(export->progress);
		export->progress = NULL;
		export->session->catalog.progress = NULL;
	}
	err = options->format->write(export, stdout, why);
	return err ? name_file(err, "cannot write", why) : 0;
}

static int check_measures(const struct export *export,
			  const struct export_options *options, char **why)
{
	if (export->session->value && options->format->no_value)
		return fail(why, -EINVAL,
			    "%s: --format=%s cannot contain %s, which this "
			    "imported recording has instead of time",
			    options->view.path, options->format->name,
			    export->session->value->name);
	if (export->metric == METRIC_TIME && !export->session->value &&
	    export->session->summary.time_ns == 0)
		return fail(why, -ENODATA,
			    "%s: the recording has no time; use --metric=calls",
			    options->view.path);
	if (options->format->needs_samples && !export->session->value &&
	    export->session->marks.count == 0 && !export->traces &&
	    export->session->timeline.count == 0)
		return fail(
			why, -ENODATA,
			"%s: the recording has no samples, which --format=%s "
			"needs",
			options->view.path, options->format->name);
	return 0;
}

/*
 * Opens traces, if the format uses them, the recording has any, and no
 * transform is requested. For a format that uses traces and has no tree, also
 * limits samples to the window.
 */
static void open_traces(struct export *export, struct traces *traces,
			const struct export_options *options)
{
	struct session *session = export->session;
	char *why;

	if (!options->format->likes_traces || session->value)
		return;
	export->window = window_of(&options->view.window,
				   recording_start_ns(&session->recording));
	if (window_is_asked(&options->view.window) &&
	    !options->format->has_tree)
		timeline_cut(&session->timeline, export->window.from_ns,
			     export->window.to_ns ? export->window.to_ns
						  : UINT64_MAX);
	if (transform_is_asked(&options->view.transform))
		return; /* single calls have the untransformed functions */
	if (traces_open(traces, &session->recording, &session->catalog,
			&options->view.whose, &why) == 0)
		export->traces = traces;
	else
		free(why);
}

static int show(const char *command, struct session *session, void *input)
{
	struct export_options *options = input;
	const struct selection *selection = &options->view.selection;
	struct export export = {
		.session = session,
		.tree = &session->tree,
		.metric = session->metric,
		.group = options->view.whose.grouping,
		.annotates = options->annotates,
		.progress = &options->view.progress,
	};
	struct traces traces;
	struct tree kept;
	char *why;
	int err = view_check_selection(command, &options->view, session);

	if (err)
		return err;
	open_traces(&export, &traces, options);
	if (selection_is_asked(selection)) {
		export.keep = selection_mask(selection, &session->catalog);
		tree_keep(&session->tree, export.keep, &kept);
		export.tree = &kept;
	}
	err = check_measures(&export, options, &why);
	if (!err)
		err = write_export(&export, options, &why);
	progress_clear(&options->view.progress);
	if (!err && !session->is_quiet)
		view_print_losses(session, command);
	if (!err && export.cut_stacks > 0)
		complain(command,
			 "%s stacks of more than %d frames were cut: frames in "
			 "the middle were omitted",
			 text_grouped(export.cut_stacks).text,
			 EXPORT_STACK_MAX);
	if (export.traces)
		traces_close(&traces);
	if (export.keep)
		tree_fini(&kept);
	free(export.keep);
	return err ? give_up(command, why) : finish_output(command);
}

int command_export(int argc, char **argv)
{
	const struct argp_child children[] = {
		{ .argp = view_children[0].argp },
		{ .argp = &window_argp },
		{ 0 },
	};
	const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "[REC]",
		.doc = "Write a recording in the format of another tool.",
		.children = children,
		.help_filter = help_filter,
	};
	struct export_options options = { 0 };

	return view_command(&argp, argc, argv, &options.view, show, &options);
}
