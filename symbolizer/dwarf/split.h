/* SPDX-License-Identifier: MIT */
/*
 * Split DWARF: units whose DIEs are in separate files (.dwo), or in one package
 * next to the module (.dwp). Supports GNU's version 4 and version 5.
 */
#ifndef CLEW_SYMBOLIZER_DWARF_SPLIT_H
#define CLEW_SYMBOLIZER_DWARF_SPLIT_H

#include "symbolizer/dwarf/scopes.h"
#include "symbolizer/dwarf/sources.h"

struct split;

struct split_report {
	uint64_t wanted;     /* number of skeletons */
	uint64_t missing;    /* skeletons whose split unit was not found */
	char *first_missing; /* path of the first missing file; may be NULL */
};

/* A .dwp file may lie next to each of `paths`, which ends with NULL. */
struct split *split_create(struct dwarf_file *main_file,
			   struct sources *sources, const char *const *paths);

/* Reads the scopes of the split unit of a skeleton whose root was read. */
void split_read_scopes(struct split *split, struct scopes *scopes,
		       struct dwarf_unit *skeleton);

/* Returns statistics, which live as long as the worker. */
const struct split_report *split_report(const struct split *split);

/* Returns whether a unit is a skeleton. */
int split_is_skeleton(const struct dwarf_unit *unit);

#endif
