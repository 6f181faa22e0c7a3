/* SPDX-License-Identifier: MIT */
/*
 * Debug information that is being read by libdwarf, in a worker, and what all who do
 * so have in common.
 */
#ifndef CLEW_SYMBOLIZER_VARIABLES_DEBUG_READING_H
#define CLEW_SYMBOLIZER_VARIABLES_DEBUG_READING_H

#include <dwarf.h>
#include <libdwarf.h>

#include "symbolizer/indexer/elf.h"
#include "symbolizer/indexer/map.h"
#include "symbolizer/variables/variable_answer.h"

/* Ways that lead in circles, in damaged files, end here. */
#define DEBUG_DEPTH_MAX 64

struct debug_unit {
	Dwarf_Off die;
	Dwarf_Half version;
};

/* A type in a unit of its own, which is referred to by its signature. */
struct debug_signature {
	Dwarf_Sig8 signature;
	Dwarf_Off die;
	Dwarf_Bool is_info; /* in .debug_info, not .debug_types */
};

struct debug_reading {
	const struct variables_request *request;
	struct variable_answer answer;
	Dwarf_Debug debug;
	struct debug_unit *units; /* those that may have code */
	size_t unit_count, unit_room;
	struct debug_signature *signatures;
	size_t signature_count, signature_room;
	/* The unit that has the address: */
	size_t unit; /* or unit_count */
	Dwarf_Die unit_die;
	Dwarf_Addr unit_base; /* what its ranges are relative to */
	int unit_is_cxx;
	struct map types;  /* offset of a DIE -> type + 1 */
	int is_split;      /* some unit's DIEs are in another file */
	int has_alternate; /* some reference leads to another file */
};

/* The debugging sections of a file, for libdwarf. 0, or 1: it has none; or -errno. */
int debug_reading_open(struct debug_reading *reading, struct elf *elf);

/* Whether a name is among those that may be named; all are, in a listing. */
int debug_reading_wants(const struct debug_reading *reading, const char *name);

#endif
