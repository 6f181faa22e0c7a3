/* SPDX-License-Identifier: MIT */
/*
 * The probes that a user requests by --probe, before the program runs. Finds
 * errors that are certain, and converts source lines to addresses.
 */
#ifndef CLEW_CLI_PROBES_PROBE_OPTIONS_H
#define CLEW_CLI_PROBES_PROBE_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <argp.h>

#include "cli/recording/directives.h"

#define PROBE_OPTIONS_MAX 32
#define PROBE_ACTIONS_MAX 256

struct probe_options {
	/*
	 * Name of the command in warnings about functions that do not exist
	 * yet. NULL: no warnings are printed.
	 */
	const char *command;
	const char *texts[PROBE_OPTIONS_MAX];
	/* The option is --args without fields. */
	uint8_t has_arguments[PROBE_OPTIONS_MAX];
	size_t count;
	/* Actions of the probes, in the order of the options. */
	struct probe_options_action {
		size_t probe;
		const char *word; /* Word before the text, such as "call ". */
		const char *text;
	} actions[PROBE_ACTIONS_MAX];
	size_t action_count;
	unsigned int snapshots; /* Number of --snapshot-when options. */
	int awaits;       /* Breakpoints cannot be used (snapshot_when.h). */
	int starts_trace; /* --trace-on is given. */
	int stops_trace;  /* --trace-off is given. */
	/*
	 * Value of --snapshot-keep: snapshots of each such option that a
	 * process retains. Actions refer to this text.
	 */
	char snapshots_retained[8];
	/* Allocated texts that the above refer to. */
	char **owned;
	size_t owned_count, owned_capacity;
};

/* Sets default values. The structure must not move. */
void probe_options_init(struct probe_options *options);

/* Frees the texts that the functions below have allocated. */
void probe_options_fini(struct probe_options *options);

/* Adds a probe with this text. Returns 0 or -E2BIG. */
int probe_options_add(struct probe_options *options, const char *text);

/*
 * Handles an option of a probe, of snapshots or of --trace-on and --trace-off
 * (RECORDING_ROWS of recording_options.h). Returns 0, or ARGP_ERR_UNKNOWN for
 * the key of another option. Reports errors through argp.
 *
 *	--args FUNCTION			records all parameters of the function
 *	--args FUNCTION@FIELD,...	records these
 *	--ret FUNCTION			records its result
 *	--ret FUNCTION@FORMAT		records it in this format
 */
error_t probe_options_parse(struct probe_options *options, int key,
			    const char *argument, struct argp_state *state);

/*
 * Checks all options after parsing. Exits with an error if an option needs one
 * that is missing.
 */
void probe_options_check(const struct probe_options *options,
			 const struct directives *directives,
			 struct argp_state *state);

/*
 * Adds the probes for this program to the directives. Returns 0; or -errno and
 * *why, for example if a probe is impossible.
 */
int probe_options_settle(const struct probe_options *options,
			 const char *program, struct directives *directives,
			 char **why);

/*
 * Returns the probes for the program of a process, as lines of a configuration,
 * which the caller frees; or NULL and *why.
 */
char *probe_options_lines(const struct probe_options *options, pid_t pid,
			  char **why);

#endif
