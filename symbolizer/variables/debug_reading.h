/* SPDX-License-Identifier: MIT */
/*
 * State that all readers of debug information by libdwarf share, in a worker.
 */
#ifndef CLEW_SYMBOLIZER_VARIABLES_DEBUG_READING_H
#define CLEW_SYMBOLIZER_VARIABLES_DEBUG_READING_H

#include "symbolizer/elf/elf.h"
#include "symbolizer/elf/map.h"
#include "symbolizer/variables/libdwarf_versions.h"
#include "symbolizer/variables/variable_answer.h"

/* Limit of nesting; damaged files may contain circles. */
#define DEBUG_DEPTH_MAX 64

struct debug_unit {
	Dwarf_Off die;
	Dwarf_Half version;
};

/* A type in a separate unit, which references identify by signature. */
struct debug_signature {
	Dwarf_Sig8 signature;
	Dwarf_Off die;
	Dwarf_Bool is_info; /* in .debug_info, else in .debug_types */
};

struct debug_reading {
	const struct variables_request *request;
	struct variable_answer answer;
	Dwarf_Debug debug;
	struct debug_unit *units; /* the units that may have code */
	size_t unit_count, unit_room;
	struct debug_signature *signatures;
	size_t signature_count, signature_room;
	/* The unit that contains the address: */
	size_t unit; /* unit_count: none */
	Dwarf_Die unit_die;
	Dwarf_Addr unit_base; /* base of the unit's ranges */
	int unit_is_cxx;
	/* maps 1 + debug_die_key() to 1 + the index of a type */
	struct map types;
	int is_split;      /* DIEs of some unit are in another file */
	int has_alternate; /* some reference leads to another file */
};

/*
 * Opens the debugging sections of a file. Returns 0; 1 if it has none; or
 * -errno.
 */
int debug_reading_open(struct debug_reading *reading, struct elf *elf);

/* Returns whether a name was requested; in a listing all are. */
int debug_reading_wants(const struct debug_reading *reading, const char *name);

#endif
