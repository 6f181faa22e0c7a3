/* SPDX-License-Identifier: MIT */
/*
 * What is asked of the runtime: directives, one a line, as clew-record(1)
 * "RULES" describes them. They come from options and from files of rules, are
 * checked here, where there is somebody to tell, and go to the recording's
 * config.
 */
#ifndef CLEW_CLI_RECORDING_DIRECTIVES_H
#define CLEW_CLI_RECORDING_DIRECTIVES_H

#include <stddef.h>
#include <stdio.h>

#include "expression/probe_action.h"
#include "image/arena.h"

struct directives {
	FILE *out; /* writes to text */
	char *text;
	size_t bytes;
	int has_cache;        /* `cache` was added */
	int has_budget;       /* `budget` was */
	int has_trace;        /* `trace` was */
	int has_stamps;       /* `stamps` was, and not `all` */
	int has_least;        /* `min-duration` was */
	int has_depth;        /* `trace-depth` was */
	int has_sites;        /* `sites` was */
	int has_overflow;     /* `on-overflow` was */
	int drops, waits;     /* the last one was `drop-oldest`, `wait` */
	unsigned int workers; /* as the last `workers` says; 0: none did */
	int has_time;         /* `time` was, and not `none` */
	int has_callers;      /* `jni-env` or `jit-callers` was */
	int folds_recursion;  /* `fold-recursion` was */
	int is_exact;         /* the last `time` was `exact` */
	int is_exact_java;    /* the last `java` was */
	int probes;           /* how many `probe` */
	struct probe_action action; /* of the last of these */
	struct arena arena;         /* has what it consists of */
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

/* What was added so far, one directive a line; belongs to `directives`. */
const char *directives_text(struct directives *directives);

#endif
