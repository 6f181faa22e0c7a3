/* SPDX-License-Identifier: MIT */
/*
 * `clew a2n`: what is at an address. What addr2line and llvm-symbolizer are
 * commonly used for works here with the same options and the same output.
 */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
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
	FRAMES = 256,
	WAITING = 1024,
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
	  "List all that is known about the file by address", 2 },
	{ "root", KEY_ROOT, "FOLDER", 0,
	  "Find files and their debug files below this folder", 3 },
	{ "debug-root", KEY_DEBUG_ROOT, "FOLDER", 0,
	  "Look for debug files here, too, as in /usr/lib/debug", 3 },
	{ "no-cache", KEY_NO_CACHE, NULL, 0, "Keep no index", 3 },
	{ "verbose", KEY_VERBOSE, NULL, 0,
	  "Say where the answers are from, and what is missing", 3 },
	{ 0 },
};

struct options {
	const char *file, *perf_map, *jitdump;
	int pid;
	int lists; /* 's'ymbols, 'l'ines, or 0 */
	int is_verbose;
	uint64_t time;
	const char *debug_roots[17];
	size_t debug_root_count;
	char **addresses;
	int address_count;
	struct a2n_options a2n;
	struct a2n_writer writer;
};

static void set_style(struct options *options, const char *style,
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
		argp_error(state, "--style %s: not addr2line or llvm", style);
	}
}

static void set_list(struct options *options, const char *what,
		     struct argp_state *state)
{
	if (what && strcmp(what, "lines") != 0 && strcmp(what, "symbols") != 0)
		argp_error(state, "--list=%s: not symbols or lines", what);
	options->lists = what ? *what : 's';
}

static error_t parse_source(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case KEY_FILE:
		options->file = argument;
		return 0;
	case KEY_PROCESS:
		options->pid =
			(int)parse_number(state, "pid", argument, INT32_MAX);
		return 0;
	case KEY_PERF_MAP:
		options->perf_map = argument;
		return 0;
	case KEY_JITDUMP:
		options->jitdump = argument;
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
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

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
		options->is_verbose = 1;
		return 0;
	default:
		return parse_source(key, argument, state);
	}
}

/* ---- looking up ---- */

struct lookup {
	const char *command;
	struct options *options;
	struct a2n *a2n;
	const struct a2n_module *module; /* of options->file, or NULL */
	struct a2n_space *space;         /* or NULL */
	uint64_t waiting[WAITING]; /* of `module`, to be answered together */
	size_t waiting_count;
	int failed;
};

static void look_up(struct lookup *lookup, const struct a2n_module *module,
		    uint64_t address)
{
	struct a2n_frame frames[FRAMES];
	size_t count;

	if (module)
		count = a2n_module_lookup(module, address, frames, FRAMES);
	else
		count = a2n_space_lookup(lookup->space, address,
					 lookup->options->time, NULL, 0, NULL,
					 frames, FRAMES);
	a2n_write(&lookup->options->writer, address, frames,
		  count < FRAMES ? count : FRAMES);
}

/* addr2line and llvm-symbolizer both read hexadecimal, with or without 0x. */
static int parse_address(const char *text, uint64_t *out)
{
	char *end;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	if (!isxdigit((unsigned char)*text))
		return 0;
	errno = 0;
	*out = strtoull(text, &end, 16);
	return !errno && (*end == '\0' || isspace((unsigned char)*end));
}

static int open_module(struct lookup *lookup, const char *path,
		       const struct a2n_module **out)
{
	int err = a2n_module_open(lookup->a2n, path, NULL, out);

	if (err) {
		complain(lookup->command, "%s: %s", path,
			 err == -ENOEXEC   ? "not a 64-bit ELF file"
			 : err == -EBADMSG ? "damaged beyond use"
					   : strerror(-err));
		lookup->failed = 1;
	}
	return err;
}

static void write_answer(void *context, size_t index,
			 const struct a2n_frame *frames, size_t count)
{
	struct lookup *lookup = context;

	a2n_write(&lookup->options->writer, lookup->waiting[index], frames,
		  count);
}

/* Answers what waits, if anything. */
static void answer_waiting(struct lookup *lookup)
{
	size_t count = lookup->waiting_count;

	lookup->waiting_count = 0;
	if (count > 0 &&
	    a2n_module_lookup_all(lookup->module, lookup->waiting, count,
				  write_answer, lookup) != 0) {
		complain(lookup->command, "out of memory");
		lookup->failed = 1;
	}
}

/* Has an address answered together with those around it. */
static void answer_later(struct lookup *lookup, uint64_t address)
{
	lookup->waiting[lookup->waiting_count++] = address;
	if (lookup->waiting_count == WAITING)
		answer_waiting(lookup);
}

/* "ADDRESS" or, without -e, llvm-symbolizer's "FILE ADDRESS". */
static void answer(struct lookup *lookup, char *text)
{
	const struct a2n_module *module = lookup->module;
	char *blank;
	uint64_t address;

	text[strcspn(text, "\n")] = '\0';
	blank = strrchr(text, ' ');
	if (strncmp(text, "CODE ", 5) == 0)
		text += 5;
	if (parse_address(text, &address) && module) {
		answer_later(lookup, address);
		return;
	}
	answer_waiting(lookup);
	if (!parse_address(text, &address)) {
		if (!blank || blank < text ||
		    !parse_address(blank + 1, &address)) {
			a2n_write_text(&lookup->options->writer, text);
			a2n_write_text(&lookup->options->writer, "\n");
			return;
		}
		*blank = '\0';
		if (!lookup->space && open_module(lookup, text, &module) != 0) {
			a2n_write(&lookup->options->writer, address, NULL, 0);
			return;
		}
	}
	if (module || lookup->space)
		look_up(lookup, module, address);
	else
		a2n_write(&lookup->options->writer, address, NULL, 0);
}

/* Answers as it reads where somebody waits for each answer. */
static void answer_input(struct lookup *lookup)
{
	struct stat status;
	int is_file =
		fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode);
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		answer(lookup, line);
		if (is_file)
			continue;
		answer_waiting(lookup);
		a2n_writer_flush(&lookup->options->writer);
	}
	answer_waiting(lookup);
	free(line);
}

static void list_range(void *context, const struct a2n_range *range,
		       const struct a2n_frame *frames, size_t count)
{
	a2n_write_range(context, range, frames, count);
}

static void say_sources(const struct lookup *lookup)
{
	struct a2n_module_info info;

	a2n_module_info(lookup->module, &info);
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

/* ---- generated code ---- */

static void count_read(const struct lookup *lookup, const char *path, int err,
		       const struct a2n_read *read)
{
	if (err) {
		complain(lookup->command, "%s: %s", path,
			 err == -EBADMSG ? "not a jitdump file"
					 : strerror(-err));
		return;
	}
	if (read->malformed > 0 || lookup->options->is_verbose)
		complain(lookup->command,
			 "%s: %llu records, %llu malformed and skipped", path,
			 (unsigned long long)read->records,
			 (unsigned long long)read->malformed);
}

/* The map that the process itself may be writing. */
static void read_own_perf_map(struct lookup *lookup)
{
	char *path = memory_printf("/proc/%d/root/tmp/perf-%d.map",
				   lookup->options->pid, lookup->options->pid);
	struct a2n_read read;

	if (access(path, R_OK) == 0)
		count_read(
			lookup, path,
			a2n_space_read_perf_map(lookup->space, path, 0, &read),
			&read);
	free(path);
}

static int fill_space(struct lookup *lookup)
{
	const struct options *options = lookup->options;
	struct a2n_read read = { 0 };
	int err = a2n_space_create(lookup->a2n, &lookup->space);

	if (!err && options->pid) {
		err = a2n_space_map_process(lookup->space, options->pid, 0);
		if (err)
			complain(lookup->command, "process %d: %s",
				 options->pid, strerror(-err));
		else
			read_own_perf_map(lookup);
	}
	if (!err && options->perf_map) {
		err = a2n_space_read_perf_map(lookup->space, options->perf_map,
					      0, &read);
		count_read(lookup, options->perf_map, err, &read);
	}
	if (!err && options->jitdump) {
		err = a2n_space_read_jitdump(lookup->space, options->jitdump,
					     &read);
		count_read(lookup, options->jitdump, err, &read);
	}
	return err ? err : a2n_space_commit(lookup->space);
}

static int run(struct lookup *lookup)
{
	struct options *options = lookup->options;

	if (options->pid || options->perf_map || options->jitdump) {
		if (fill_space(lookup) != 0)
			return EXIT_FAILURE;
	} else if (options->file &&
		   open_module(lookup, options->file, &lookup->module) != 0) {
		return EXIT_FAILURE;
	}
	if (options->is_verbose && lookup->module)
		say_sources(lookup);
	if (options->lists == 'l')
		a2n_module_rows(lookup->module, list_range, &options->writer);
	else if (options->lists)
		a2n_module_symbols(lookup->module, list_range,
				   &options->writer);
	else if (options->address_count == 0)
		answer_input(lookup);
	for (int i = 0; i < options->address_count; i++) {
		if (strcmp(options->addresses[i], "-") == 0)
			answer_input(lookup);
		else
			answer(lookup, options->addresses[i]);
	}
	answer_waiting(lookup);
	return lookup->failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static void check(const struct options *options, const char *command)
{
	if (options->lists && (!options->file || options->pid ||
			       options->perf_map || options->jitdump)) {
		complain(command, "--list needs -e FILE, and no other source");
		exit(EXIT_FAILURE);
	}
	if (options->file &&
	    (options->pid || options->perf_map || options->jitdump)) {
		complain(command, "-e FILE goes with no other source");
		exit(EXIT_FAILURE);
	}
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
	struct options options = { .time = A2N_LATEST };
	struct lookup lookup = { .command = argv[0], .options = &options };
	int status, err;

	a2n_writer_init(&options.writer);
	argp_parse(&argp, argc, argv, 0, NULL, &options);
	check(&options, argv[0]);
	err = a2n_create(&options.a2n, &lookup.a2n);
	if (err) {
		complain(argv[0], "%s", strerror(-err));
		return EXIT_FAILURE;
	}
	status = run(&lookup);
	err = a2n_writer_fini(&options.writer);
	if (err) {
		complain(argv[0], "cannot write: %s", strerror(-err));
		status = EXIT_FAILURE;
	}
	if (lookup.space)
		a2n_space_destroy(lookup.space);
	a2n_destroy(lookup.a2n);
	return status;
}
