/* SPDX-License-Identifier: MIT */
/* `clew report`: shows a recording as a table. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/help.h"
#include "cli/show/unmatched.h"
#include "cli/show/view.h"
#include "report/view/flat.h"
#include "report/view/flat_lines.h"
#include "report/view/java_methods.h"
#include "report/view/labels.h"

enum {
	KEY_SORT = 's',
	KEY_TOP = 'n',
	KEY_BY = 'b',
	KEY_BUTTERFLY = 'B',
	KEY_JNI = 0x300,
	KEY_JNI_ENV,
	KEY_VALUE,
	KEY_MARKS,
	KEY_EVENTS,
	KEY_SNAPSHOTS,
	KEY_JAVA,
	DEFAULT_TOP = 40,
};

/* Kinds of rows. */
static const struct subject {
	const char *name;
	enum label_by label;
	enum grouping grouping;
	/* For rows that are no functions: creates the table. */
	void (*init)(struct flat *flat, const struct tree *tree,
		     struct catalog *catalog);
} subjects[] = {
	{ "function", LABEL_FUNCTION, GROUP_NONE, NULL },
	{ "context", LABEL_CONTEXT, GROUP_NONE, NULL },
	{ "line", LABEL_FUNCTION, GROUP_NONE, flat_init_lines },
	{ "address", LABEL_FUNCTION, GROUP_NONE, flat_init_addresses },
	{ "module", LABEL_MODULE, GROUP_NONE, NULL },
	{ "thread", LABEL_GROUP, GROUP_THREAD, NULL },
	{ "process", LABEL_GROUP, GROUP_PROCESS, NULL },
	{ "jni", LABEL_JNI, GROUP_NONE, NULL },
	{ "jni-env", LABEL_JNI_ENV, GROUP_NONE, NULL },
	{ "java", LABEL_JAVA, GROUP_NONE, NULL },
};

enum { SUBJECTS = sizeof(subjects) / sizeof(*subjects) };

struct report_options {
	struct view_options view;
	struct flat_keys keys;
	size_t by;             /* Index in subjects. */
	const char *butterfly; /* A function, or NULL. */
	int shows_marks, shows_events, shows_snapshots;
	size_t top;
	int has_top;
};

static const struct argp_option argp_options[] = {
	{ "sort", KEY_SORT, "KEY[,KEY...]", HELP_FIRST,
	  "Sort by these columns (default: self, or calls)", HELP_VIEWS },
	{ "by", KEY_BY,
	  "function|context|line|address|module|thread|process|jni|jni-env|"
	  "java",
	  HELP_FIRST, "What a row is (default: function)", HELP_VIEWS },
	{ "butterfly", KEY_BUTTERFLY, "FN", HELP_FIRST,
	  "Show one function, its callers and its callees", HELP_VIEWS },
	ROW_TOP(KEY_TOP),
	{ "java", KEY_JAVA, NULL, 0,
	  "Show exactly counted Java methods (--by=java)", HELP_VIEWS },
	{ "jni", KEY_JNI, NULL, 0,
	  "Show native methods by Java caller (--by=jni)", HELP_VIEWS },
	{ "jni-env", KEY_JNI_ENV, NULL, 0,
	  "Show JNI functions by caller (--by=jni-env)", HELP_VIEWS },
	{ "marks", KEY_MARKS, NULL, 0,
	  "Show moments and regions that the program marked", HELP_VIEWS },
	{ "events", KEY_EVENTS, NULL, 0,
	  "Show marks and recorded probe hits, by time", HELP_VIEWS },
	{ "snapshots", KEY_SNAPSHOTS, NULL, 0,
	  "List snapshots and the calls that caused them", HELP_VIEWS },
	ROW_VALUE(KEY_VALUE, HELP_FIRST, HELP_VIEWS),
	{ 0 },
};

static size_t parse_subject(struct argp_state *state, const char *text)
{
	const char *names[SUBJECTS];

	for (size_t i = 0; i < SUBJECTS; i++)
		names[i] = subjects[i].name;
	return parse_word(state, "by", text, names, SUBJECTS);
}

/*
 * Reports the first key that does not exist, or that there are too many keys.
 */
static void refuse_keys(struct argp_state *state, const char *text)
{
	while (1) {
		const size_t length = strcspn(text, ",");
		char *key = memory_string(text, length);

		parse_word(state, "sort", key, flat_key_names, FLAT_KEYS_MAX);
		free(key);
		if (!text[length])
			break;
		text += length + 1;
	}
	complain_of_usage(state, "--sort: more than %d keys", FLAT_KEYS_MAX);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct report_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->view;
		state->child_inputs[1] = &options->view.window;
		options->view.whose.is_only_merged = 1;
		return 0;
	case KEY_SORT:
		if (flat_parse_keys(argument, &options->keys) != 0)
			refuse_keys(state, argument);
		return 0;
	case KEY_BY:
		options->by = parse_subject(state, argument);
		options->view.whose.grouping = subjects[options->by].grouping;
		return 0;
	case KEY_JAVA:
	case KEY_JNI:
	case KEY_JNI_ENV:
		options->by =
			parse_subject(state, key == KEY_JAVA  ? "java"
					     : key == KEY_JNI ? "jni"
							      : "jni-env");
		options->view.whose.grouping = GROUP_NONE;
		return 0;
	case KEY_BUTTERFLY:
		options->butterfly = argument;
		return 0;
	case KEY_TOP:
		options->top = parse_number(state, "top", argument, UINT32_MAX);
		options->has_top = 1;
		return 0;
	case KEY_MARKS:
		options->shows_marks = 1;
		return 0;
	case KEY_EVENTS:
		options->shows_events = 1;
		return 0;
	case KEY_SNAPSHOTS:
		options->shows_snapshots = 1;
		return 0;
	case KEY_VALUE:
		set_value(&options->view, argument);
		return 0;
	case ARGP_KEY_END:
		check_value(&options->view, state);
		check_window(&options->view, state);
		if (window_is_asked(&options->view.window) &&
		    (options->shows_marks || options->shows_events ||
		     options->shows_snapshots))
			argp_error(state,
				   "--marks, --events and --snapshots exclude "
				   "--from, --to and --around");
		if (options->view.whose.value && options->butterfly)
			argp_error(
				state,
				"--butterfly and --value exclude each other");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void make_flat(struct flat *flat, struct session *session,
		      const struct subject *subject)
{
	uint32_t *labels;

	if (subject->init) {
		subject->init(flat, &session->tree, &session->catalog);
		return;
	}
	labels = labels_of(&session->tree, &session->catalog, subject->label);
	flat_init(flat, &session->tree, labels,
		  session->catalog.function_count);
	flat_find_lacking(flat, &session->tree, labels,
			  session->catalog.function_count, &session->catalog);
	if (subject->label == LABEL_JNI || subject->label == LABEL_JNI_ENV ||
	    subject->label == LABEL_CONTEXT)
		flat_keep_groups(flat, &session->catalog);
	if (subject->label == LABEL_JAVA)
		flat_keep_java(flat, &session->catalog);
	if (subject->label == LABEL_JNI) {
		flat_find_quantiles(flat, &session->tree, labels,
				    session->catalog.function_count);
		flat_find_copies(flat, &session->jni, &session->catalog);
	}
	free(labels);
}

static const char *heading_of(size_t by)
{
	switch (subjects[by].label) {
	case LABEL_JNI:
		return "native method" LABEL_JNI_FROM "Java method";
	case LABEL_JNI_ENV:
		return "JNI function" LABEL_JNI_FROM "caller";
	case LABEL_JAVA:
		return "Java method";
	case LABEL_CONTEXT:
		return "context: function" LABEL_JNI_FROM "caller ...";
	default:
		return subjects[by].name;
	}
}

/*
 * Creates the rows of the table, which the caller frees by flat_fini(). Returns
 * 0. If the filters leave no row, prints a message and returns the exit status,
 * and there is no table.
 */
static int make_rows(const char *command, struct session *session,
		     const struct report_options *options, struct flat *flat)
{
	const struct selection *selection = &options->view.selection;

	make_flat(flat, session, &subjects[options->by]);
	flat_select(flat, selection, &session->catalog);
	if (flat->count > 0 || !selection_is_asked(selection))
		return EXIT_SUCCESS;
	flat_fini(flat);
	return unmatched_selection(command, selection, &session->catalog);
}

static void write_rows(struct session *session,
		       const struct report_options *options, struct flat *flat)
{
	const struct flat_keys by_default = {
		.keys = { session->metric == METRIC_TIME ? FLAT_SELF
							 : FLAT_CALLS },
		.count = 1,
	};
	const struct flat_keys *keys =
		options->keys.count ? &options->keys : &by_default;
	size_t top = options->top;

	if (!options->has_top && options->view.writer == &writer_text)
		top = DEFAULT_TOP;
	flat_sort(flat, keys, &session->catalog);
	options->view.writer->flat(
		stdout, session,
		&(struct flat_view){
			.flat = flat,
			.what = heading_of(options->by),
			.top = top,
			.selection = &options->view.selection,
			.advises = subjects[options->by].label == LABEL_JNI_ENV,
		});
}

static int show_rows(const char *command, struct session *session,
		     struct report_options *options)
{
	struct flat flat;
	int status = make_rows(command, session, options, &flat);

	if (status)
		return status;
	view_begin(&options->view, session);
	write_rows(session, options, &flat);
	flat_fini(&flat);
	return view_finish(&options->view, command);
}

/*
 * Returns the heading for functions that the user named, or NULL for the name
 * that tables show. The caller frees it.
 */
static char *butterfly_name(struct session *session,
			    const struct report_options *options,
			    const uint8_t *chosen)
{
	const char *typed = options->butterfly, *full;
	uint32_t function = FUNCTION_UNKNOWN;

	while (!chosen[function])
		function++;
	full = catalog_name(&session->catalog, function);
	if (selection_is_named(&session->catalog, function, typed))
		return memory_string(typed, strlen(typed));
	if (options->view.writer == &writer_text &&
	    !options->view.shows_full_names)
		return NULL;
	return memory_string(full, strlen(full));
}

static void write_butterfly(struct session *session,
			    const struct report_options *options,
			    const uint8_t *chosen)
{
	char *name = butterfly_name(session, options, chosen);
	struct butterfly butterfly;

	butterfly_init(&butterfly, &session->tree, &session->catalog, chosen,
		       session->metric);
	options->view.writer->butterfly(
		stdout, session,
		&(struct butterfly_view){ .butterfly = &butterfly,
					  .name = name });
	butterfly_fini(&butterfly);
	free(name);
}

static int has_jni_functions(const struct session *session)
{
	for (size_t i = 0; i < session->recording.part_count; i++)
		if (session->recording.parts[i].header->jni != WIRE_JNI_NONE)
			return 1;
	return 0;
}

static int show_snapshots(const char *command, struct session *session,
			  struct report_options *options)
{
	const char *path = options->view.path;
	struct snapshot_list list;
	int status = EXIT_FAILURE;

	snapshot_list_init(&list, session, path);
	if (list.count) {
		view_begin(&options->view, session);
		options->view.writer->snapshots(
			stdout, session,
			&(struct snapshots_view){ .list = &list,
						  .path = path });
		status = view_finish(&options->view, command);
	} else {
		complain(command, "--snapshots: the recording has none; record "
				  "with --snapshot-when or --snapshot-on");
	}
	snapshot_list_fini(&list);
	return status;
}

static int show(const char *command, struct session *session, void *input)
{
	struct report_options *options = input;
	uint8_t *chosen = NULL;

	if (options->shows_snapshots)
		return show_snapshots(command, session, options);

	if (subjects[options->by].init && session->summary.samples == 0) {
		complain(command,
			 "--by=%s: the recording has no samples; record with "
			 "--time=cpu or wall",
			 subjects[options->by].name);
		return EXIT_FAILURE;
	}
	if (subjects[options->by].label == LABEL_JNI &&
	    session->summary.natives.calls == 0) {
		complain(command,
			 "--by=jni: the recording has no call of a native Java "
			 "method");
		return EXIT_FAILURE;
	}
	if (subjects[options->by].label == LABEL_JNI_ENV &&
	    !has_jni_functions(session)) {
		complain(command,
			 "--by=jni-env: the recording has no call of a JNI "
			 "function; record with --jni-env");
		return EXIT_FAILURE;
	}
	if (subjects[options->by].label == LABEL_JAVA &&
	    java_methods_of(&session->catalog).counted == 0) {
		complain(command,
			 "--by=java: the recording has no exact counts of Java "
			 "methods; record with --java=exact");
		return EXIT_FAILURE;
	}
	if ((options->shows_marks || options->shows_events) &&
	    session->marks.count == 0) {
		complain(command, options->shows_marks
					  ? "--marks: the program marked no "
					    "moment and no region"
					  : "--events: the recording has no "
					    "marks and no recorded "
					    "probe hits");
		return EXIT_FAILURE;
	}
	if (!options->shows_marks && !options->shows_events &&
	    !options->butterfly)
		return show_rows(command, session, options);
	if (options->butterfly && view_find(command, &options->view, session,
					    options->butterfly, &chosen) != 0)
		return EXIT_FAILURE;
	view_begin(&options->view, session);
	if (options->shows_marks)
		options->view.writer->marks(stdout, session);
	else if (options->shows_events)
		options->view.writer->events(stdout, session);
	else
		write_butterfly(session, options, chosen);
	free(chosen);
	return view_finish(&options->view, command);
}

int command_report(int argc, char **argv)
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
		.doc = "Show the time of each function and how often it was "
		       "called.",
		.children = children,
	};
	struct report_options options = { 0 };

	return view_command(&argp, argc, argv, &options.view, show, &options);
}
