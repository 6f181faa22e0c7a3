/* SPDX-License-Identifier: MIT */
/*
 * The configuration of a recording: directives (wire/directive_table.h), one on each line. They
 * come from options and from files of rules. They are checked here, where errors can be shown
 * to the user, and are written to the recording's config file.
 */
#ifndef CLEW_CLI_RECORDING_DIRECTIVES_H
#define CLEW_CLI_RECORDING_DIRECTIVES_H

#include <stddef.h>
#include <stdio.h>

#include "expression/probe_action.h"
#include "image/arena.h"
#include "wire/directive_table.h"

struct directives {
	FILE *out; /* writes to text */
	char *text;
	size_t bytes;
	/* The last value of each that was added, or NULL. Empty: it takes no value. */
	const char *given[DIRECTIVE_COUNT];
	unsigned int probes;        /* number of `probe` directives */
	struct probe_action action; /* of the last of these */
	struct arena arena;         /* has the action and the values */
};

void directives_init(struct directives *directives);
void directives_fini(struct directives *directives);

/* Adds "word value" (value NULL or "": none). 0, or -EINVAL and *why. */
int directives_add(struct directives *directives, const char *word,
		   const char *value, char **why);

/* Adds the directives of a file. 0, or -errno and *why. */
int directives_add_file(struct directives *directives, const char *path,
			char **why);

/*
 * Adds `cache DIR` for the user's own cache folder, and makes that folder,
 * unless a rule named another. If that does not work there will be no cache,
 * which costs time and nothing else.
 */
void directives_add_cache(struct directives *directives);

/* The same, by root, for processes of other users: a folder of which they read. */
void directives_add_shared_cache(struct directives *directives);

/*
 * Whether the last directive of this kind has one of these values: NULL for any, or words with `|`
 * between them, or a `!` and words that it must not have. What follows a colon is not compared.
 */
int directives_have(const struct directives *directives,
		    enum wire_directive directive, const char *values);

/*
 * Why directives that were added exclude each other, or need others that were not; NULL if they
 * do not. A constant.
 */
const char *directives_conflict(const struct directives *directives);

/* The directives that were added so far, one on each line; belongs to `directives`. */
const char *directives_text(struct directives *directives);

#endif
