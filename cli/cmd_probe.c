/* SPDX-License-Identifier: MIT */
/*
 * `clew probe --sites`: where in a function a probe can be put, by an ELF file alone:
 * nothing is executed.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cmd_probe_live.h"
#include "cli/command.h"
#include "cli/executable.h"
#include "cli/probe_file.h"
#include "cli/terminal.h"

enum { KEY_SITES = 's', KEY_FILE = 'e' };

struct sites_options {
	const char *sites; /* of which function */
	const char *file;
	struct terminal terminal;
};

static const struct argp_option argp_options[] = {
	{ "sites", KEY_SITES, "FUNCTION", 0,
	  "Show each instruction of a function, and how a probe there would be "
	  "reached; FUNCTION may be any place that clew record --probe takes",
	  0 },
	{ "exe", KEY_FILE, "FILE", 0, "The ELF file, or the name of a program",
	  0 },
	LIVE_PROBE_OPTIONS,
	{ 0 },
};

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
	case LIVE_PROBE_PID:
	case LIVE_PROBE_ALL:
		argp_error(state, "that is for add, rm and ls");
		return 0;
	case KEY_FILE:
		options->file = argument;
		return 0;
	case ARGP_KEY_ARG:
		if (options->file)
			argp_error(state, "one file at a time");
		options->file = argument;
		return 0;
	case ARGP_KEY_END:
		if (!options->sites)
			argp_error(state,
				   "which function? Say --sites=FUNCTION");
		if (!options->file)
			argp_error(state, "of which file? Say -e FILE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- The table ---- */

struct listing {
	const struct probe_file *file;
	uint32_t function; /* that was shown last, or UINT32_MAX */
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
	printf("%u by a jump, %u by a breakpoint, %u not\n",
	       listing->by_tier[PROBE_BY_JUMP], listing->by_tier[PROBE_BY_TRAP],
	       listing->by_tier[PROBE_BY_NONE]);
}

/* The file itself, or the program that a shell would find by that name. */
static char *path_of(const char *name)
{
	char *path;

	if (access(name, F_OK) == 0 || executable_find(name, &path) != 0)
		return memory_string(name, strlen(name));
	return path;
}

int command_probe(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.children = terminal_children,
		.parser = parse,
		.args_doc = "[FILE]\nadd PID PLACE...\nrm PID NAME...\nls PID",
		.doc = "Show where in a function a probe can be put; or add, "
		       "remove and list the probes of a process that is being "
		       "recorded: see clew record --probe.",
	};
	struct sites_options options = { 0 };
	struct listing listing = { .function = UINT32_MAX };
	struct probe_file file;
	struct probe_spec spec;
	int status = EXIT_FAILURE;
	char *path, *why;

	if (is_live_probe_command(argc, argv))
		return command_probe_live(argc, argv);
	argp_parse(&argp, argc, argv, 0, NULL, &options);
	if (probe_spec_parse(options.sites, &spec) != 0) {
		complain(argv[0], "%s: not a place for a probe", options.sites);
		return EXIT_FAILURE;
	}
	path = path_of(options.file);
	if (probe_file_open(&file, path, &why) != 0) {
		free(path);
		return give_up(argv[0], why);
	}
	listing.file = &file;
	terminal_begin(&options.terminal);
	if (probe_spec_walk(&spec, &file.map, print_function, &listing)) {
		print_sums(&listing);
		status = EXIT_SUCCESS;
	} else {
		complain(argv[0], "%s has no function %s", path, spec.function);
	}
	if (terminal_finish(&options.terminal, argv[0]) != 0)
		status = EXIT_FAILURE;
	probe_file_close(&file);
	free(path);
	return status;
}
