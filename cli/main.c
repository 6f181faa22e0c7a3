/* SPDX-License-Identifier: MIT */
/* Runs the command that the first argument names. */
#include <argp.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "base/truncated_files.h"
#include "cli/common/command.h"
#include "cli/deputy/deputy.h"
#include "cli/target/executable.h"

static const struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "record", "run a program and count its calls", command_record },
	{ "attach", "count the calls of running processes", command_attach },
	{ "detach", "detach from processes whose clew attach was killed",
	  command_detach },
	{ "status", "show which processes are being recorded", command_status },
	{ "top", "show live which functions processes call", command_top },
	{ "snapshot", "save what has been recorded of a process so far",
	  command_snapshot },
	{ "view", "show a recording on a screen", command_view },
	{ "report", "show the table of functions", command_report },
	{ "annotate", "show the time of a function by line and instruction",
	  command_annotate },
	{ "tree", "show the tree of calling contexts", command_tree },
	{ "trace", "show the calls of a trace, one by one", command_trace },
	{ "diff", "show what changed between two recordings", command_diff },
	{ "merge", "combine several recordings into one", command_merge },
	{ "import", "write the profile of another tool as a recording",
	  command_import },
	{ "list", "show which functions are hooked, and why others are not",
	  command_list },
	{ "probe", "change the probes of a process, or list probe locations",
	  command_probe },
	{ "export", "write a recording in the format of another tool",
	  command_export },
	{ "push", "send a recording to a store of profiles", command_push },
	{ "html", "write a page for a browser", command_html },
	{ "dump", "print the records of a recording", command_dump },
	{ "a2n", "show the function, file and line of addresses", command_a2n },
	{ "cache", "manage the caches of analyses and debug information",
	  command_cache },
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

/*
 * Prints the text for `clew` without arguments: five lines instead of the list
 * of commands.
 */
static void print_introduction(FILE *out)
{
	fputs("clew counts each function call of a program, without a "
	      "rebuild.\n"
	      "  clew record -- CMD   run CMD and record its calls\n"
	      "  clew report          show which functions took the time\n"
	      "  clew html            write a page with flame graphs\n"
	      "`clew --help` lists all commands.\n",
	      out);
}

static void print_commands(FILE *out)
{
	fputs("Usage: clew COMMAND [OPTION...] [ARG...]\n\n", out);
	for (int i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-9s %s\n", commands[i].name,
			commands[i].summary);
	fputs("\nStart with `clew record -- CMD`, then `clew report`.\n"
	      "Each command has --help and a manual page, such as "
	      "clew-record(1).\n",
	      out);
}

/* Runs a command. argv[0] is the command's name. */
static int run(const struct command *command, int argc, char **argv)
{
	char *name = memory_printf("clew %s", command->name);
	int status;

	argv[0] = name;
	deputy_begin();
	status = command->run(argc, argv);
	deputy_end(status);
	free(name);
	return status;
}

/*
 * Returns the arguments as one text, with a blank before each. The caller frees
 * it.
 */
static char *joined(int argc, char **argv)
{
	char *words = NULL;
	size_t length;
	FILE *out = memory_stream(&words, &length);

	for (int i = 0; i < argc; i++)
		fprintf(out, " %s", argv[i]);
	fclose(out);
	return words;
}

static const char *nearest_command(const char *name)
{
	const char *names[COMMANDS];

	for (int i = 0; i < COMMANDS; i++)
		names[i] = commands[i].name;
	return nearest_word(name, names, COMMANDS);
}

static int is_program(const char *name)
{
	char *path;

	if (executable_find(name, &path) != 0)
		return 0;
	free(path);
	return 1;
}

static int reject(int argc, char **argv)
{
	const char *nearest = nearest_command(argv[0]);
	char *words;

	if (argv[0][0] == '-') {
		complain("clew",
			 "%s: unknown option; `clew --help` lists the commands",
			 argv[0]);
		return EX_USAGE;
	}
	if (is_program(argv[0]) || !nearest) {
		words = joined(argc, argv);
		complain(
			"clew",
			"%s: unknown command; did you mean `clew record --%s`?",
			argv[0], words);
		free(words);
		return EX_USAGE;
	}
	complain("clew", "%s: unknown command; did you mean `clew %s`?",
		 argv[0], nearest);
	return EX_USAGE;
}

static int help(int argc, char **argv)
{
	const struct command *command = argc > 1 ? find_command(argv[1]) : NULL;
	char option[] = "--help";
	char *arguments[] = { NULL, option, NULL };
	const char *nearest;

	if (command)
		return run(command, 2, arguments);
	if (argc < 2) {
		print_commands(stdout);
		return finish_output("clew");
	}
	nearest = nearest_command(argv[1]);
	complain("clew help", "%s: unknown command; %s%s%s", argv[1],
		 nearest ? "did you mean `clew help " : "`clew --help",
		 nearest ? nearest : "",
		 nearest ? "`?" : "` lists the commands");
	return EX_USAGE;
}

static int is_either(const char *word, const char *one, const char *other)
{
	return strcmp(word, one) == 0 || strcmp(word, other) == 0;
}

static int is_help(const char *word)
{
	return is_either(word, "--help", "-?") ||
	       is_either(word, "help", "--help=all");
}

int main(int argc, char **argv)
{
	const struct command *command;

	setlocale(LC_CTYPE, "");
	truncated_files_read_as_zeros();
	if (argc < 2) {
		print_introduction(stderr);
		return EX_USAGE;
	}
	command = find_command(argv[1]);
	if (command)
		return run(command, argc - 1, argv + 1);
	if (is_help(argv[1]))
		return help(argc - 1, argv + 1);
	if (is_either(argv[1], "--version", "-V")) {
		puts(argp_program_version);
		return finish_output("clew");
	}
	return reject(argc - 1, argv + 1);
}
