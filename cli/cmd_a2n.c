/* SPDX-License-Identifier: MIT */
/*
 * `clew a2n`: what is at an address. What addr2line and llvm-symbolizer are
 * commonly used for works here with the same options and the same output.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/a2n_answers.h"
#include "cli/a2n_sources.h"
#include "cli/a2n_write.h"
#include "cli/command.h"
#include "cli/options.h"

enum {
	KEY_FILE = 'e',
	KEY_PROCESS = 'p',
	KEY_INLINES = 'i',
	KEY_FUNCTIONS = 'f',
	KEY_DEMANGLE = 'C',
	KEY_ADDRESSES = 'a',
	KEY_BASENAMES = 's',
	KEY_PERF_MAP = 0x100,
	KEY_JITDUMP,
	KEY_LIST,
	KEY_JSON,
	KEY_STYLE,
	KEY_PRETTY,
	KEY_AT,
	KEY_ROOT,
	KEY_DEBUG_ROOT,
	KEY_NO_CACHE,
	KEY_VERBOSE = 'v',
};

static const struct argp_option argp_options[] = {
	{ "exe", KEY_FILE, "FILE", 0, "Addresses are those of this ELF file",
	  0 },
	{ "obj", KEY_FILE, NULL, OPTION_ALIAS, NULL, 0 },
	{ "pid", KEY_PROCESS, "PID", 0, "... of this process", 0 },
	{ "perf-map", KEY_PERF_MAP, "FILE", 0,
	  "... of generated code that this perf map lists", 0 },
	{ "jitdump", KEY_JITDUMP, "FILE", 0, "... that this jitdump file has",
	  0 },
	{ "at", KEY_AT, "TIME", 0,
	  "With --jitdump: what was there at this time stamp", 0 },
	{ "inlines", KEY_INLINES, NULL, 0, "Show inlined calls, too", 1 },
	{ "functions", KEY_FUNCTIONS, NULL, 0, "Show names of functions", 1 },
	{ "demangle", KEY_DEMANGLE, NULL, 0, "... as they were written", 1 },
	{ "addresses", KEY_ADDRESSES, NULL, 0, "Show each address first", 1 },
	{ "basenames", KEY_BASENAMES, NULL, 0, "Show files without folders",
	  1 },
	{ "pretty-print", KEY_PRETTY, NULL, 0, "One line for each frame", 1 },
	{ "style", KEY_STYLE, "addr2line|llvm", 0,
	  "Write as that tool does; llvm implies -i, -f and -C", 1 },
	{ "json", KEY_JSON, NULL, 0, "Write a JSON object for each address",
	  1 },
	{ "list", KEY_LIST, "symbols|lines", OPTION_ARG_OPTIONAL,
	  "List all that is known about the file by address; of a perf map "
	  "or jitdump, its code",
	  2 },
	{ "root", KEY_ROOT, "FOLDER", 0,
	  "Find files and their debug files below this folder", 3 },
	{ "debug-root", KEY_DEBUG_ROOT, "FOLDER", 0,
	  "Look for debug files here, too, as in /usr/lib/debug", 3 },
	{ "no-cache", KEY_NO_CACHE, NULL, 0, "Keep no index", 3 },
	{ "verbose", KEY_VERBOSE, NULL, 0,
	  "Say where the answers are from, and what is missing", 3 },
	{ 0 },
};

struct a2n_command_options {
	const char *file;
	struct a2n_sources sources; /* instead of a file */
	int lists;                  /* 's'ymbols, 'l'ines, or 0 */
	uint64_t time;
	const char *debug_roots[17];
	size_t debug_root_count;
	char **addresses;
	int address_count;
	struct a2n_options a2n;
	struct a2n_writer writer;
};

static void set_style(struct a2n_command_options *options, const char *style,
		      struct argp_state *state)
{
	struct a2n_writer *writer = &options->writer;

	if (strcasecmp(style, "llvm") == 0) {
		writer->style = STYLE_LLVM;
		writer->shows_functions = 1;
		writer->shows_inlined = 1;
		writer->demangles = 1;
	} else if (strcasecmp(style, "addr2line") != 0 &&
		   strcasecmp(style, "gnu") != 0) {
		complain_of_usage(state, "--style %s: not addr2line or llvm",
				  style);
	}
}

static void set_list(struct a2n_command_options *options, const char *what,
		     struct argp_state *state)
{
	if (what && strcmp(what, "lines") != 0 && strcmp(what, "symbols") != 0)
		complain_of_usage(state, "--list=%s: not symbols or lines",
				  what);
	options->lists = what ? *what : 's';
}

/* "FILE ADDR", as on standard input, names a file of its own. */
static int needs_a_file(const struct a2n_command_options *options)
{
	for (int i = 0; i < options->address_count; i++)
		if (strcmp(options->addresses[i], "-") != 0 &&
		    !strchr(options->addresses[i], ' '))
			return 1;
	return 0;
}

static void check(const struct a2n_command_options *options,
		  struct argp_state *state)
{
	int has_others = a2n_sources_are_there(&options->sources);

	if (options->lists && !options->file && !has_others)
		argp_error(state, "--list of what? Give -e FILE, --perf-map or "
				  "--jitdump");
	if (options->lists == 'l' && has_others)
		argp_error(state, "--list=lines needs -e FILE");
	if (options->lists && options->sources.pid)
		argp_error(state, "--list needs a file, not a process");
	if (options->file && has_others)
		argp_error(state, "-e FILE goes with no other source");
	if (!options->file && !has_others && needs_a_file(options))
		argp_error(state, "addresses of what? Give -e FILE, -p PID, "
				  "--perf-map or --jitdump");
}

static error_t parse_source(int key, char *argument, struct argp_state *state)
{
	struct a2n_command_options *options = state->input;

	switch (key) {
	case KEY_FILE:
		options->file = argument;
		return 0;
	case KEY_PROCESS:
		options->sources.pid =
			(int)parse_number(state, "pid", argument, INT32_MAX);
		return 0;
	case KEY_PERF_MAP:
		options->sources.perf_map = argument;
		return 0;
	case KEY_JITDUMP:
		options->sources.jitdump = argument;
		return 0;
	case KEY_AT:
		options->time = parse_number(state, "at", argument, UINT64_MAX);
		return 0;
	case KEY_LIST:
		set_list(options, argument, state);
		return 0;
	case KEY_ROOT:
		options->a2n.root = argument;
		return 0;
	case KEY_DEBUG_ROOT:
		if (options->debug_root_count >= 16)
			argp_error(state, "at most 16 --debug-root");
		options->debug_roots[options->debug_root_count++] = argument;
		options->a2n.debug_roots = options->debug_roots;
		return 0;
	case KEY_NO_CACHE:
		options->a2n.flags |= A2N_NO_CACHE;
		return 0;
	case ARGP_KEY_ARGS:
		options->addresses = state->argv + state->next;
		options->address_count = state->argc - state->next;
		return 0;
	case ARGP_KEY_END:
		check(options, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct a2n_command_options *options = state->input;

	switch (key) {
	case KEY_INLINES:
		options->writer.shows_inlined = 1;
		return 0;
	case KEY_FUNCTIONS:
		options->writer.shows_functions = 1;
		return 0;
	case KEY_DEMANGLE:
		options->writer.demangles = 1;
		return 0;
	case KEY_ADDRESSES:
		options->writer.shows_addresses = 1;
		return 0;
	case KEY_BASENAMES:
		options->writer.only_basenames = 1;
		return 0;
	case KEY_PRETTY:
		options->writer.is_pretty = 1;
		return 0;
	case KEY_STYLE:
		set_style(options, argument, state);
		return 0;
	case KEY_JSON:
		options->writer.style = STYLE_JSON;
		return 0;
	case KEY_VERBOSE:
		options->sources.is_verbose = 1;
		return 0;
	default:
		return parse_source(key, argument, state);
	}
}

static void list_range(void *context, const struct a2n_range *range,
		       const struct a2n_frame *frames, size_t count)
{
	a2n_write_range(context, range, frames, count);
}

static void say_sources(const struct a2n_module *module)
{
	struct a2n_module_info info;

	a2n_module_info(module, &info);
	fprintf(stderr, "symbols: %s\nlines: %s\n",
		info.symbols_from ? info.symbols_from : "none",
		info.debug_from ? info.debug_from : "none");
	fprintf(stderr, "index: %llu bytes, %llu symbols, %llu rows, %s\n",
		(unsigned long long)info.index_bytes,
		(unsigned long long)info.symbol_count,
		(unsigned long long)info.row_count,
		info.was_cached ? "cached" : "new");
	if (info.reason)
		fprintf(stderr, "missing: %s\n", info.reason);
}

static void list(const struct a2n_answers *answers,
		 struct a2n_command_options *options)
{
	const struct a2n_module *module = answers->module;

	if (answers->space)
		a2n_space_codes(answers->space, options->time, list_range,
				&options->writer);
	else if (options->lists == 'l')
		a2n_module_rows(module, list_range, &options->writer);
	else
		a2n_module_symbols(module, list_range, &options->writer);
}

/* Other text on standard input may belong there; here it is a slip. */
static void answer_argument(struct a2n_answers *answers, char *argument)
{
	if (a2n_answer(answers, argument))
		return;
	complain(answers->command, "%s: not an address", argument);
	answers->failed = 1;
}

static void answer_all(struct a2n_answers *answers,
		       const struct a2n_command_options *options)
{
	if (options->address_count == 0 && !options->lists)
		a2n_answer_input(answers);
	for (int i = 0; i < options->address_count; i++) {
		if (strcmp(options->addresses[i], "-") == 0)
			a2n_answer_input(answers);
		else
			answer_argument(answers, options->addresses[i]);
	}
	a2n_answers_end(answers);
}

/* 0, or -errno: there is nothing to ask. */
static int open_all(struct a2n_answers *answers,
		    const struct a2n_command_options *options)
{
	if (a2n_sources_are_there(&options->sources))
		return a2n_sources_read(&options->sources, answers->a2n,
					&answers->space);
	if (options->file)
		return a2n_answers_open(answers, options->file,
					&answers->module);
	return 0;
}

/* The exit status. */
static int run(struct a2n_answers *answers, struct a2n_command_options *options)
{
	if (open_all(answers, options) != 0)
		return EXIT_FAILURE;
	if (options->sources.is_verbose && answers->module)
		say_sources(answers->module);
	if (options->lists)
		list(answers, options);
	answer_all(answers, options);
	return answers->failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int command_a2n(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "[ADDR...|-]",
		.doc = "Show which function, file and line each address is of. "
		       "Addresses are hexadecimal; without any, or at \"-\", "
		       "they are read from standard input, one a line.",
	};
	struct a2n_command_options options = { .time = A2N_LATEST,
					       .sources.command = argv[0] };
	struct a2n_answers answers = { .command = argv[0],
				       .writer = &options.writer };
	int status, err;

	a2n_writer_init(&options.writer);
	argp_parse(&argp, argc, argv, 0, NULL, &options);
	err = a2n_create(&options.a2n, &answers.a2n);
	if (err) {
		complain(argv[0], "%s", strerror(-err));
		return EXIT_FAILURE;
	}
	answers.time = options.time;
	status = run(&answers, &options);
	err = a2n_writer_fini(&options.writer);
	if (err) {
		complain(argv[0], "cannot write: %s", strerror(-err));
		status = EXIT_FAILURE;
	}
	if (answers.space)
		a2n_space_destroy(answers.space);
	a2n_destroy(answers.a2n);
	return status;
}
