/* SPDX-License-Identifier: MIT */
/*
 * The probes that a user asks for (--probe), before a program is run: what can be
 * known to be wrong is, and lines of sources become addresses.
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
	/* Reports functions that may appear later as missing; NULL: nobody. */
	const char *command;
	const char *texts[PROBE_OPTIONS_MAX];
	uint8_t has_arguments[PROBE_OPTIONS_MAX]; /* --args, of no words */
	size_t count;
	/* What they do, by the order in which it was said. */
	struct probe_options_action {
		size_t probe;
		const char *word; /* in front of the text: "call " */
		const char *text;
	} actions[PROBE_ACTIONS_MAX];
	size_t action_count;
	unsigned int snapshots; /* --snapshot-when */
	/* Texts of the above that were not arguments; for free(). */
	char **owned;
	size_t owned_count, owned_capacity;
};

/* Frees the texts that the functions below have made. */
void probe_options_fini(struct probe_options *options);

/* 0, or -E2BIG. */
int probe_options_add(struct probe_options *options, const char *text);

/* The same for an argp parser, which says what is wrong. */
void probe_options_parse_place(struct probe_options *options, const char *text,
			       struct argp_state *state);

/*
 * FUNCTION, whose parameters are recorded, or FUNCTION@FIELD,..., and FUNCTION or
 * FUNCTION@FORMAT, whose result is; likewise.
 */
void probe_options_parse_args(struct probe_options *options, const char *text,
			      struct argp_state *state);
void probe_options_parse_ret(struct probe_options *options, const char *text,
			     struct argp_state *state);

/* When a snapshot is made (snapshot_when.h); likewise. */
void probe_options_parse_snapshot(struct probe_options *options,
				  const char *text, struct argp_state *state);

/* Where a thread's trace is switched "on" or "off"; likewise. */
void probe_options_parse_trace(struct probe_options *options, const char *text,
			       const char *how, struct argp_state *state);

/* What the last one does, besides; likewise. */
void probe_options_parse_action(struct probe_options *options, const char *text,
				struct argp_state *state);
void probe_options_parse_handler(struct probe_options *options,
				 const char *text, struct argp_state *state);

/*
 * Add them to the directives, for this program. 0, or -EINVAL and *why: one that
 * cannot be, whatever the program does.
 */
int probe_options_settle(const struct probe_options *options,
			 const char *program, struct directives *directives,
			 char **why);

/*
 * Likewise for the program of a process: as lines of a configuration, for free(); or
 * NULL and *why.
 */
char *probe_options_lines(const struct probe_options *options, pid_t pid,
			  char **why);

#endif
