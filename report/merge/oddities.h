/* SPDX-License-Identifier: MIT */
/*
 * What cannot be in a recording that is right, counted while its contexts are
 * read. A recording that has any was damaged, or its runtime erred: either way
 * the reports say so.
 */
#ifndef CLEW_MERGE_ODDITIES_H
#define CLEW_MERGE_ODDITIES_H

#include <stddef.h>
#include <stdint.h>

#include "report/recording/part_reader.h"

/* Contexts, of one process. */
struct oddities {
	uint64_t strangers; /* their function is in no module */
	uint64_t orphans;   /* their caller is not recorded */
	uint64_t circular;  /* their caller is called by them */
	uint64_t uneven; /* not one call deeper than their caller says it is */
};

/*
 * One sentence for people, to be freed; NULL if nothing is odd. A part that was
 * read while its process ran may lack the newest callers, and modules.
 */
char *oddities_text(const struct oddities *oddities,
		    const struct part_copy *part, size_t contexts);

/* What enum wire_java says, for people. */
const char *java_text(uint32_t state);

/* Whether, and why, native methods of Java have no such names: likewise. */
char *java_problem_text(const struct part_copy *part);
char *jni_problem_text(const struct part_copy *part);

/* Whether generated code is of unknown makers for want of room: likewise. */
char *makers_problem_text(const struct part_copy *part);

/* Threads whose stack could not be unwound where clew was attached; likewise. */
char *rootless_problem_text(const struct part_copy *part);

/* Hooks that the program has written over: likewise. */
char *overwritten_problem_text(const struct part_copy *part);

/* Why a budget was not kept: likewise. */
char *budget_problem_text(const struct part_copy *part);

#endif
