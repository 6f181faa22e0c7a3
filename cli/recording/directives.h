/* SPDX-License-Identifier: MIT */
/*
 * The configuration of a recording: directives (wire/directive_table.h), one on
 * each line. Options and files of rules add them. clew checks them here, where
 * errors can be reported to the user, and writes them to the recording's config
 * file.
 */
#ifndef CLEW_CLI_RECORDING_DIRECTIVES_H
#define CLEW_CLI_RECORDING_DIRECTIVES_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "expression/probe_action.h"
#include "image/arena.h"
#include "wire/directive_table.h"

struct directives {
	FILE *out; /* Writes to `text`. */
	char *text;
	size_t bytes;
	/*
	 * The last value of each directive, or NULL. "" if it takes no value.
	 */
	const char *given[DIRECTIVE_COUNT];
	unsigned int probes;        /* Number of `probe` directives. */
	struct probe_action action; /* Action of the last probe. */
	struct arena arena;         /* Owns the action and the values. */
};

void directives_init(struct directives *directives);
void directives_fini(struct directives *directives);

/*
 * Adds "word value". The value may be NULL or "". Returns 0, or -errno and
 * *why.
 */
int directives_add(struct directives *directives, const char *word,
		   const char *value, char **why);

/* Adds the directives of a file. Returns 0, or -errno and *why. */
int directives_add_file(struct directives *directives, const char *path,
			char **why);

/*
 * Adds `cache DIR` for the user's own cache folder, and creates that folder,
 * unless `cache` was given already. On failure there is no cache, which only
 * costs time.
 */
void directives_add_cache(struct directives *directives);

/*
 * Like directives_add_cache(), for root, which records processes of another
 * user. These processes can read the folder. With a budget, creates a folder in
 * it that belongs to the user, for what the processes learn. Nothing in that
 * folder is read for other users.
 */
void directives_add_shared_cache(struct directives *directives, uid_t user);

/*
 * Adds `avoid SET`, unless the set is empty: system calls that the library may
 * not make (wire/avoidable.h). Returns 0, or -errno and *why.
 */
int directives_add_avoided(struct directives *directives, uint64_t avoided,
			   char **why);

/*
 * Returns whether the last directive of this kind has one of these values.
 * `values` is NULL for any value; words with `|` between them; or `!` and words
 * that are excluded. Text after a colon is not compared.
 */
int directives_have(const struct directives *directives,
		    enum wire_directive directive, const char *values);

/*
 * Returns a constant text if directives exclude each other, or need others that
 * are missing. Otherwise NULL.
 */
const char *directives_conflict(const struct directives *directives);

/*
 * Returns the directives so far, one on each line. The text belongs to
 * `directives`.
 */
const char *directives_text(struct directives *directives);

#endif
