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
 * Like probe_options_add(), for an argp parser, to which errors are reported.
 */
void probe_options_parse_place(struct probe_options *options, const char *text,
			       struct argp_state *state);

/*
 * Parse the values of --args and --ret. For --args: FUNCTION, to record all its
 * parameters, or FUNCTION@FIELD,... For --ret: FUNCTION, to record its result,
 * or FUNCTION@FORMAT. Report errors.
 */
void probe_options_parse_args(struct probe_options *options, const char *text,
			      struct argp_state *state);
void probe_options_parse_ret(struct probe_options *options, const char *text,
			     struct argp_state *state);

/* Adds a condition for a snapshot (snapshot_when.h). Reports errors. */
void probe_options_parse_snapshot(struct probe_options *options,
				  const char *text, struct argp_state *state);

/* Takes the value of --snapshot-keep. Reports errors. */
void probe_options_parse_retained(struct probe_options *options,
				  const char *text, struct argp_state *state);

/*
 * Adds a location at which a thread's trace is switched "on" or "off". Reports
 * errors.
 */
void probe_options_parse_trace(struct probe_options *options, const char *text,
			       const char *how, struct argp_state *state);

/* Add an action or a handler to the last probe. Report errors. */
void probe_options_parse_action(struct probe_options *options, const char *text,
				struct argp_state *state);
void probe_options_parse_handler(struct probe_options *options,
				 const char *text, struct argp_state *state);

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
