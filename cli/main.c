/* SPDX-License-Identifier: MIT */
#include <argp.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/memory.h"
#include "base/truncated_files.h"
#include "cli/command.h"

static const struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "record", "run a program and count its calls", command_record },
	{ "attach", "count the calls of processes that run already",
	  command_attach },
	{ "detach", "leave processes whose clew attach was killed",
	  command_detach },
	{ "status", "show which processes are being recorded", command_status },
	{ "top", "show what a process calls now, on a screen", command_top },
	{ "snapshot", "keep what a process has been recorded to do so far",
	  command_snapshot },
	{ "report", "show the flat table of functions", command_report },
	{ "tree", "show the tree of calling contexts", command_tree },
	{ "trace", "show the calls of a trace, one by one", command_trace },
	{ "diff", "show what changed between two recordings", command_diff },
	{ "merge", "make one recording of several", command_merge },
	{ "list", "show what is hooked and what is not", command_list },
	{ "probe",
	  "change the probes of a process, or show where they can be put",
	  command_probe },
	{ "export", "write a recording for other tools", command_export },
	{ "html", "write a page for a browser", command_html },
	{ "dump", "print a recording's records", command_dump },
	{ "a2n", "show what is at addresses", command_a2n },
	{ "cache", "manage the cache of debug information", command_cache },
};

enum { COMMANDS = sizeof(commands) / sizeof(*commands) };

static const struct command *find_command(const char *name)
{
	for (int i = 0; i < COMMANDS; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

static void print_usage(FILE *out)
{
	fputs("Usage: clew COMMAND [OPTION...] [ARG...]\n\n", out);
	for (int i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-9s %s\n", commands[i].name,
			commands[i].summary);
	fputs("\nStart with `clew record -- CMD`, then `clew report`. Each\n"
	      "command has --help, and a page in the manual: clew-record(1).\n",
	      out);
}

/* argv[0] is the command's word. */
static int run(const struct command *command, int argc, char **argv)
{
	char *name = memory_printf("clew %s", command->name);
	int status;

	argv[0] = name;
	status = command->run(argc, argv);
	free(name);
	return status;
}

static int reject(int argc, char **argv)
{
	char *words;

	if (argv[0][0] == '-') {
		complain("clew", "%s: no such option; see `clew help`",
			 argv[0]);
		return EX_USAGE;
	}
	words = memory_string("", 0);
	for (int i = 0; i < argc; i++) {
		char *longer = memory_printf("%s %s", words, argv[i]);

		free(words);
		words = longer;
	}
	complain("clew",
		 "%s: no such command; did you mean `clew record --%s`?",
		 argv[0], words);
	free(words);
	return EX_USAGE;
}

static int help(int argc, char **argv)
{
	const struct command *command = argc > 1 ? find_command(argv[1]) : NULL;
	char option[] = "--help";
	char *arguments[] = { NULL, option, NULL };

	if (command)
		return run(command, 2, arguments);
	if (argc > 1) {
		complain("clew help", "%s: no such command", argv[1]);
		return EX_USAGE;
	}
	print_usage(stdout);
	return finish_output("clew");
}

static int is_either(const char *word, const char *one, const char *other)
{
	return strcmp(word, one) == 0 || strcmp(word, other) == 0;
}

int main(int argc, char **argv)
{
	const struct command *command;

	setlocale(LC_CTYPE, "");
	truncated_files_read_as_zeros();
	if (argc < 2) {
		print_usage(stderr);
		return EX_USAGE;
	}
	command = find_command(argv[1]);
	if (command)
		return run(command, argc - 1, argv + 1);
	if (strcmp(argv[1], "help") == 0 || is_either(argv[1], "--help", "-?"))
		return help(argc - 1, argv + 1);
	if (is_either(argv[1], "--version", "-V")) {
		puts(argp_program_version);
		return finish_output("clew");
	}
	return reject(argc - 1, argv + 1);
}
