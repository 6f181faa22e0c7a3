/* SPDX-License-Identifier: MIT */
/* `clew list`: shows which functions are hooked, and why others are not. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/help.h"
#include "cli/common/options.h"
#include "cli/show/unmatched.h"
#include "cli/target/live_process.h"
#include "image/analysis.h"
#include "image/special_modules.h"
#include "machine/elf_numbers.h"
#include "report/merge/numbering.h"
#include "report/recording/imported_reader.h"
#include "report/write/writer.h"
#include "wire/verdict.h"

enum { KEY_VERBOSE = 'v', KEY_ALL = 'a', KEY_JSON = 0x100, KEY_FULL_NAMES };

struct list_options {
	const char *path;
	pid_t pid; /* A process that is being recorded; 0 if `path` is used. */
	enum list_detail detail;
	int shows_full_names;
	const struct report_writer *writer;
	struct terminal terminal;
};

static const struct argp_option argp_options[] = {
	{ "verbose", KEY_VERBOSE, NULL, 0,
	  "List each function that is refused or left alone, with the reason",
	  HELP_CONTENTS },
	{ "all", KEY_ALL, NULL, 0, "List every function", HELP_CONTENTS },
	ROW_FULL_NAMES(KEY_FULL_NAMES),
	ROW_JSON(KEY_JSON),
	{ 0 },
};

/*
 * Returns whether a word is a pid. A file with such a name can be given with
 * its folder.
 */
static int is_pid(const char *word)
{
	return *word && !word[strspn(word, "0123456789")];
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct list_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->terminal;
		return 0;
	case KEY_VERBOSE:
		if (options->detail < LIST_REFUSED)
			options->detail = LIST_REFUSED;
		return 0;
	case KEY_ALL:
		options->detail = LIST_ALL;
		return 0;
	case KEY_FULL_NAMES:
		options->shows_full_names = 1;
		return 0;
	case KEY_JSON:
		options->writer = &writer_json;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "more than one recording, file or "
					  "process is given");
		if (is_pid(argument))
			options->pid = parse_pid(state, argument);
		options->path = argument;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const char *analysis_error(int err)
{
	if (err == -ENOEXEC)
		return "neither a recording nor an " MACHINE_NAME " ELF file";
	if (err == -EBADMSG)
		return module_state_text(MODULE_IS_MALFORMED);
	if (err == -ENODATA)
		return module_state_text(MODULE_IS_NO_CODE);
	return strerror(-err);
}

/*
 * Returns the state that the file would have as a module of a recorded process,
 * without rules.
 */
static enum module_state state_of(const char *path,
				  const struct analysis *analysis)
{
	const enum module_state state = special_module_state(path);

	return module_state_is_final(state)
		       ? state
		       : module_state_of_traits(analysis->traits, 0);
}

/*
 * Adds an ELF file as a module, and its functions if clew would hook the
 * module. Returns 0, or -errno and *why.
 */
static int add_file(struct catalog *catalog, const char *path, char **why)
{
	struct arena arena = { 0 };
	struct analysis analysis;
	struct catalog_list functions = { 0 };
	struct wire_module module = { 0 };
	struct module_record record = {
		.module = &module,
		.path = path,
		.path_bytes = (uint32_t)strlen(path),
	};
	int err = analysis_of_file(path, NULL, &arena, &analysis);

	if (err) {
		fail(why, err, "%s: %s", path, analysis_error(err));
		goto fini;
	}
	module.build_id_bytes = analysis.build_id_bytes;
	memcpy(module.build_id, analysis.build_id, sizeof(module.build_id));
	module.state = state_of(path, &analysis);
	record.functions = analysis.functions;
	if (module.state == MODULE_IS_HOOKED)
		record.function_count = analysis.function_count;
	catalog_add_module(catalog, &record, &functions);
	free(functions.items);
fini:
	arena_fini(&arena);
	return err;
}

static int add_recording(struct list_view *view, const char *path, char **why)
{
	struct recording recording;
	struct numbering numbering;
	int err = recording_open_headers(&recording, path, why);

	if (err)
		return err;
	for (size_t i = 0; i < recording.part_count; i++) {
		const struct part_copy *part = recording_bring(&recording, i);

		if (!part)
			continue;
		numbering_init(&numbering, view->catalog, part, 0);
		numbering_fini(&numbering);
		view->trap_hits += part->header->trap_hits;
		view->is_java_in_place |=
			wire_java_is_in_place(part->header->java);
		if (!view->import)
			view->import = import_text(part);
		recording_let_go(&recording, i);
	}
	recording_close(&recording);
	return 0;
}

/*
 * Adds the functions that a running process has hooked so far, from a copy of
 * its part.
 */
static int add_process(struct list_view *view, pid_t pid, char **why)
{
	struct live_process process;
	int err = live_process_init(&process, pid, why);

	if (err)
		return err;
	err = add_recording(view, process.part, why);
	live_process_fini(&process);
	return err;
}

/*
 * Adds what the user names, a process, a recording or a file, to the list.
 * Returns 0, or -errno and *why.
 */
static int add(struct list_view *view, const struct list_options *options,
	       char **why)
{
	char *what;
	int err;

	if (options->pid) {
		err = add_process(view, options->pid, &what);
		if (err)
			fail(why, err, "process %d: %s", options->pid, what);
		free(err ? what : NULL);
		return err;
	}
	err = add_recording(view, options->path, why);
	if (err != -ENOEXEC) {
		/* The path may be an ELF file. */
		if (strcmp(options->path, DEFAULT_RECORDING) == 0)
			unmatched_recording(options->path, err, why);
		return err;
	}
	free(*why);
	view->is_forecast = 1;
	return add_file(view->catalog, options->path, why);
}

int command_list(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.children = terminal_children,
		.parser = parse,
		.args_doc = "[REC|FILE|PID]",
		.doc = "Show which functions are hooked in a recording or in "
		       "a recorded process, or which can be hooked in an ELF "
		       "file, and why the others are not.",
	};
	struct list_options options = {
		.path = DEFAULT_RECORDING,
		.writer = &writer_text,
	};
	struct list_view view = { 0 };
	struct catalog catalog;
	int status, err;
	char *why;

	command_line_parse(&argp, argc, argv, 0, &options);
	catalog_init(&catalog);
	view.catalog = &catalog;
	view.detail = options.detail;
	view.shows_full_names = options.shows_full_names;
	err = add(&view, &options, &why);
	if (err) {
		status = give_up(argv[0], why);
	} else {
		terminal_begin(&options.terminal);
		options.writer->list(stdout, &view);
		status = terminal_finish(&options.terminal, argv[0]);
	}
	free(view.import);
	catalog_fini(&catalog);
	return status;
}
