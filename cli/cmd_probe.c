/* SPDX-License-Identifier: MIT */
/*
 * `clew probe --sites` shows where a function can have probes; `--vars` shows
 * the variables that actions can use. Both read only an ELF file.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/cmd_probe_live.h"
#include "cli/cmd_probe_vars.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/help.h"
#include "cli/common/terminal.h"
#include "cli/probes/mistyped_function.h"
#include "cli/probes/probe_file.h"
#include "cli/probes/shown_place.h"
#include "cli/probes/source_line.h"
#include "cli/target/executable.h"

enum { KEY_SITES = 's', KEY_FILE = 'e', KEY_VARS = 0x100 };

struct sites_options {
	const char *sites; /* Name of a function. */
	const char *vars;  /* A location. */
	const char *file;
	struct terminal terminal;
};

static const struct argp_option argp_options[] = {
	{ "sites", KEY_SITES, "FUNCTION", 0,
	  "Show the instructions of a function as probe locations",
	  HELP_VIEWS },
	{ "vars", KEY_VARS, "PLACE", 0,
	  "Show the variables that a probe can use at PLACE", HELP_VIEWS },
	{ "exe", KEY_FILE, "FILE", 0, "The ELF file, or the name of a program",
	  HELP_VIEWS },
	LIVE_PROBE_OPTIONS,
	{ 0 },
};

/*
 * Rejects a second file. The first word may be a mistyped "add", "rm" or "ls".
 */
static void refuse_second_file(struct argp_state *state, const char *first)
{
	static const char *const verbs[] = { "add", "rm", "ls" };
	const char *nearest = nearest_word(first, verbs, 3);

	if (nearest && access(first, F_OK) != 0)
		complain_of_usage(state, "%s: did you mean `%s %s`?", first,
				  state->name, nearest);
	else
		argp_error(state, "more than one file is given");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct sites_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->terminal;
		return 0;
	case KEY_SITES:
		options->sites = argument;
		return 0;
	case KEY_VARS:
		options->vars = argument;
		return 0;
	case LIVE_PROBE_PID:
	case LIVE_PROBE_ALL:
		argp_error(state, "--pid and --all need add, rm or ls");
		return 0;
	case KEY_FILE:
		options->file = argument;
		return 0;
	case ARGP_KEY_ARG:
		if (options->file)
			refuse_second_file(state, options->file);
		options->file = argument;
		return 0;
	case ARGP_KEY_END:
		if (!options->sites && !options->vars)
			argp_error(state, "nothing to show; give "
					  "--sites=FUNCTION or --vars=PLACE");
		if (options->sites && options->vars)
			argp_error(state,
				   "--sites and --vars exclude each other");
		if (!options->file)
			argp_error(state, "no file is given; use -e FILE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- The table, and the whole command ---- */

struct listing {
	const struct probe_file *file;
	uint32_t function; /* Function that was shown last, or UINT32_MAX. */
	unsigned int by_tier[PROBE_TIER_COUNT];
	uint64_t function_vaddr;
};

static void print_insn(const struct listing *listing,
		       const struct probe_site *site)
{
	const char *mnemonic, *operands;
	char text[256];

	if (probe_site_text(&listing->file->map, site, vsnprintf, &mnemonic,
			    &operands) != 0)
		snprintf(text, sizeof(text), "(%u bytes)", site->insn_bytes);
	else
		snprintf(text, sizeof(text), "%s%s%s", mnemonic,
			 *operands ? " " : "", operands);
	printf("  %#10" PRIx64 "  %+-6" PRId64 "  %-40s  ", site->vaddr,
	       (int64_t)(site->vaddr - listing->function_vaddr), text);
}

static void print_site(void *context, const struct probe_site *site)
{
	struct listing *listing = context;

	print_insn(listing, site);
	printf("%-4s%s%s\n", probe_tier_text(site->tier),
	       site->reason ? "  " : "", probe_reason_text(site->reason));
	listing->by_tier[site->tier]++;
}

static void print_function(void *context, const struct probe_site *site)
{
	struct listing *listing = context;
	const struct functions *functions = &listing->file->inquiry.functions;
	const uint32_t index = functions_at(functions, site->vaddr);

	if (index == UINT32_MAX) {
		listing->function_vaddr = site->vaddr;
		print_site(context, site);
		return;
	}
	if (index == listing->function)
		return;
	listing->function = index;
	listing->function_vaddr = functions->list[index].vaddr;
	probe_sites_walk(&listing->file->map, index, print_site, listing);
}

static void print_sums(const struct listing *listing)
{
	printf("%u by a jump, %u by a breakpoint, %u impossible\n",
	       listing->by_tier[PROBE_BY_JUMP], listing->by_tier[PROBE_BY_TRAP],
	       listing->by_tier[PROBE_BY_NONE]);
}

/*
 * Returns the file itself, or the program that a shell would find by that name.
 */
static char *path_of(const char *name)
{
	char *path;

	if (access(name, F_OK) == 0 || executable_find(name, &path) != 0)
		return memory_string(name, strlen(name));
	return path;
}

static int print_sites(const struct probe_file *file, const char *path,
		       const struct probe_spec *spec, char **why)
{
	struct listing listing = { .file = file, .function = UINT32_MAX };

	if (!probe_spec_walk(spec, &file->map, print_function, &listing))
		return mistyped_function_refuse(&file->image, path,
						spec->function, why);
	print_sums(&listing);
	return 0;
}

/* Resolves a name of the file's functions (shown_place_resolve()). */
static int resolve_name(const char *text, const char *path, char **resolved,
			char **why)
{
	struct needed_library file = { .path = memory_string(path,
							     strlen(path)) };
	const struct needed_libraries files = { .items = &file, .count = 1 };
	struct probe_spec spec;
	int err = 0;

	if (probe_spec_parse(text, &spec) != 0 || *spec.function)
		err = shown_place_resolve(text, &files, resolved, why);
	free(file.path);
	return err;
}

/*
 * Shows a location of the file, or a line of its sources. Returns 0, or -errno
 * and *why.
 */
static int print_place(const struct sites_options *options, const char *path,
		       char **why)
{
	const char *text = options->sites ? options->sites : options->vars;
	struct probe_file file;
	struct probe_spec spec;
	char *resolved = NULL;
	int err = 0;

	if (options->vars)
		err = source_line_resolve(text, path, PROBE_SPEC_MAX_ADDRESSES,
					  &resolved, why);
	if (!err && !resolved)
		err = resolve_name(text, path, &resolved, why);
	if (!err && probe_spec_parse(resolved ? resolved : text, &spec) != 0)
		err = fail(why, -EINVAL, "%s is not a probe location", text);
	free(resolved);
	if (!err)
		err = probe_file_open(&file, path, why);
	if (err)
		return err;
	err = options->sites ? print_sites(&file, path, &spec, why)
			     : print_probe_variables(&file, path, &spec, why);
	probe_file_close(&file);
	return err;
}

int command_probe(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.children = terminal_children,
		.parser = parse,
		.args_doc = "[FILE]\nadd PID PLACE...\nrm PID NAME...\nls PID",
		.doc = "Show where probes can be set in a function and which "
		       "variables they can use, or add, remove and list the "
		       "probes of a process that is being recorded.",
	};
	struct sites_options options = { 0 };
	char *path, *why = NULL;
	int status;

	if (is_live_probe_command(argc, argv))
		return command_probe_live(argc, argv);
	command_line_parse(&argp, argc, argv, 0, &options);
	path = path_of(options.file);
	terminal_begin(&options.terminal);
	status =
		print_place(&options, path, &why) ? EXIT_FAILURE : EXIT_SUCCESS;
	if (terminal_finish(&options.terminal, argv[0]) != 0)
		status = EXIT_FAILURE;
	if (why)
		status = give_up(argv[0], why);
	free(path);
	return status;
}
