/* SPDX-License-Identifier: MIT */
/* The commands of clew, and functions that they share. */
#ifndef CLEW_CLI_COMMON_COMMAND_H
#define CLEW_CLI_COMMON_COMMAND_H

#define DEFAULT_RECORDING "clew.out"

/* Each command receives "clew NAME" as argv[0] and returns its exit status. */
int command_record(int argc, char **argv);
int command_attach(int argc, char **argv);
int command_detach(int argc, char **argv);
int command_status(int argc, char **argv);
int command_top(int argc, char **argv);
int command_snapshot(int argc, char **argv);
int command_report(int argc, char **argv);
int command_annotate(int argc, char **argv);
int command_tree(int argc, char **argv);
int command_trace(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_import(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_html(int argc, char **argv);
int command_list(int argc, char **argv);
int command_probe(int argc, char **argv);
int command_view(int argc, char **argv);
int command_export(int argc, char **argv);
int command_push(int argc, char **argv);
int command_dump(int argc, char **argv);
int command_a2n(int argc, char **argv);
int command_cache(int argc, char **argv);

struct argp_state;

/*
 * Prints "COMMAND: MESSAGE" on stderr; `command` is "clew NAME". Control
 * characters in the message are printed as "?".
 */
void complain(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Does what argp_error() does: prints the message and exits, unless argp's
 * flags prevent this. Control characters in the message are printed as "?".
 */
void complain_of_usage(const struct argp_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints `why` as an error and frees it. Returns the exit status of failure. */
int give_up(const char *command, char *why);

/*
 * Returns 0 if all of stdout was written; otherwise prints an error and returns
 * the exit status of failure.
 */
int finish_output(const char *command);

#endif
