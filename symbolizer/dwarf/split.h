/* SPDX-License-Identifier: MIT */
/*
 * Split DWARF: units whose DIEs are in files of their own (.dwo), or in one
 * package beside the module (.dwp). Both of GNU's version 4 and of version 5.
 */
#ifndef CLEW_SYMBOLIZER_DWARF_SPLIT_H
#define CLEW_SYMBOLIZER_DWARF_SPLIT_H

#include "symbolizer/dwarf/scopes.h"
#include "symbolizer/indexer/sources.h"

struct split;

struct split_report {
	uint64_t wanted;     /* skeletons */
	uint64_t missing;    /* whose other half could not be found */
	char *first_missing; /* a path, or NULL */
};

/* `paths` are those beside which a .dwp may lie, NULL at the end. */
struct split *split_create(struct dwarf_file *main_file,
			   struct sources *sources, const char *const *paths);

/* Reads the scopes of the other half of a unit whose root was read. */
void split_read_scopes(struct split *split, struct scopes *scopes,
		       struct dwarf_unit *skeleton);

/* What became of them. The rest lives as long as the worker. */
const struct split_report *split_report(const struct split *split);

/* Whether a unit is only a skeleton. */
int split_is_skeleton(const struct dwarf_unit *unit);

#endif
