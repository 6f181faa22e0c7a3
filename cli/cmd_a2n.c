/* SPDX-License-Identifier: MIT */
/*
 * `clew a2n`: shows function and source line of addresses. Common options of
 * addr2line and llvm-symbolizer have the same meaning and output.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/help.h"
#include "cli/common/option_values.h"
#include "cli/show/a2n_answers.h"
#include "cli/show/a2n_sources.h"
#include "cli/show/a2n_write.h"

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
	{ "exe", KEY_FILE, "FILE", HELP_FIRST,
	  "The ELF file that the addresses belong to", HELP_SOURCES },
	{ "obj", KEY_FILE, NULL, OPTION_ALIAS, NULL, HELP_SOURCES },
	{ "pid", KEY_PROCESS, "PID", HELP_FIRST,
	  "The process that the addresses belong to", HELP_SOURCES },
	{ "perf-map", KEY_PERF_MAP, "FILE", 0, "A perf map of generated code",
	  HELP_SOURCES },
	{ "jitdump", KEY_JITDUMP, "FILE", 0, "A jitdump file of generated code",
	  HELP_SOURCES },
	{ "at", KEY_AT, "TIME", 0,
	  "Time stamp at which the code of --jitdump existed", HELP_SOURCES },
	{ "root", KEY_ROOT, "FOLDER", 0,
	  "Find files and their debug files below FOLDER", HELP_SOURCES },
	{ "debug-root", KEY_DEBUG_ROOT, "FOLDER", 0,
	  "Also search FOLDER, laid out as /usr/lib/debug", HELP_SOURCES },
	{ "no-cache", KEY_NO_CACHE, NULL, 0, "Do not store an index",
	  HELP_SOURCES },
	{ "functions", KEY_FUNCTIONS, NULL, HELP_FIRST, "Show function names",
	  HELP_CONTENTS },
	{ "demangle", KEY_DEMANGLE, NULL, HELP_FIRST,
	  "Show function names as in the source", HELP_CONTENTS },
	{ "inlines", KEY_INLINES, NULL, HELP_FIRST, "Show inlined calls",
	  HELP_CONTENTS },
	{ "addresses", KEY_ADDRESSES, NULL, HELP_FIRST,
	  "Show each address first", HELP_CONTENTS },
	{ "basenames", KEY_BASENAMES, NULL, HELP_FIRST,
	  "Show file names without folders", HELP_CONTENTS },
	{ "pretty-print", KEY_PRETTY, NULL, HELP_FIRST,
	  "Print each frame on one line", HELP_CONTENTS },
	{ "style", KEY_STYLE, "addr2line|llvm", 0,
	  "Output format; llvm implies -i, -f and -C", HELP_CONTENTS },
	{ "json", KEY_JSON, NULL, HELP_FIRST,
	  "Write a JSON object for each address", HELP_CONTENTS },
	{ "list", KEY_LIST, "symbols|lines", OPTION_ARG_OPTIONAL | HELP_FIRST,
	  "List all entries instead of addresses", HELP_CONTENTS },
	{ "verbose", KEY_VERBOSE, NULL, 0,
	  "Print the sources of the answers, and what is missing",
	  HELP_CONTENTS },
	{ 0 },
};

struct a2n_command_options {
	const char *file;
	struct a2n_sources sources; /* Used instead of a file. */
	int lists;                  /* 's' for symbols, 'l' for lines, or 0. */
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
	static const char *const known[] = { "addr2line", "llvm" };
	struct a2n_writer *writer = &options->writer;

	if (strcasecmp(style, "llvm") == 0) {
		writer->style = STYLE_LLVM;
		writer->shows_functions = 1;
		writer->shows_inlined = 1;
		writer->demangles = 1;
	} else if (strcasecmp(style, "addr2line") != 0 &&
		   strcasecmp(style, "gnu") != 0) {
		refuse_word(state, "style", style, known, 2);
	}
}

static void set_list(struct a2n_command_options *options, const char *what,
		     struct argp_state *state)
{
	static const char *const known[] = { "symbols", "lines" };

	if (what)
		parse_word(state, "list", what, known, 2);
	options->lists = what ? *what : 's';
}

/*
 * Returns whether an address is given that needs --exe: "FILE ADDR" names its
 * own file, and "-" reads standard input.
 */
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
		argp_error(state,
			   "--list needs -e FILE, --perf-map or --jitdump");
	if (options->lists == 'l' && has_others)
		argp_error(state, "--list=lines needs -e FILE");
	if (options->lists && options->sources.pid)
		argp_error(state, "--list excludes --pid; give -e FILE");
	if (options->file && has_others)
		argp_error(state,
			   "--exe excludes --pid, --perf-map and --jitdump");
	if (!options->file && !has_others && needs_a_file(options))
		argp_error(
			state,
			"no source of the addresses is given; give -e FILE, -p "
			"PID, --perf-map or --jitdump");
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
			argp_error(state,
				   "more than 16 --debug-root are given");
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

static void print_sources(const struct a2n_module *module)
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

/*
 * Answers an argument. Text that is no address is an error here, while it is
 * repeated if it comes from standard input.
 */
static void answer_argument(struct a2n_answers *answers, char *argument)
{
	if (a2n_answer(answers, argument))
		return;
	complain(answers->command, "%s is not an address", argument);
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

/* Opens the sources. Returns 0 or -errno. */
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

/* Answers all requests of the command. Returns the exit status. */
static int run(struct a2n_answers *answers, struct a2n_command_options *options)
{
	if (open_all(answers, options) != 0)
		return EXIT_FAILURE;
	if (options->sources.is_verbose && answers->module)
		print_sources(answers->module);
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
		.doc = "Show the function, file and line of each address. "
		       "Addresses are hexadecimal. Without an ADDR, or for "
		       "\"-\", addresses are read from standard input, one per "
		       "line.",
	};
	struct a2n_command_options options = { .time = A2N_LATEST,
					       .sources.command = argv[0] };
	struct a2n_answers answers = { .command = argv[0],
				       .writer = &options.writer };
	int status, err;

	a2n_writer_init(&options.writer);
	command_line_parse(&argp, argc, argv, 0, &options);
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
