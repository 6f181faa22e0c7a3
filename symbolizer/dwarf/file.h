/* SPDX-License-Identifier: MIT */
/*
 * The DWARF of one file: its sections and units, and reading of DIEs.
 *
 * Our own reader, because libdwarf 20210528 needs 5.5 s of CPU only to visit
 * the DIEs of libjvm.so, where this scan of everything that has code takes a
 * small part of that, and because it fails on what compilers and packagers
 * make today (see tests/e2e/a2n_matrix_test.py). It is checked against
 * libdwarf, addr2line and llvm-symbolizer by the tests.
 *
 * Three kinds of file play together. A *main* file has units with addresses. A
 * *split* file (.dwo, .dwp) has the rest of a unit whose skeleton is in a main
 * file, to whose addresses, ranges and lines it refers. An *alternate* file
 * (of dwz) has strings and DIEs that others refer to, and no code.
 */
#ifndef CLEW_SYMBOLIZER_DWARF_FILE_H
#define CLEW_SYMBOLIZER_DWARF_FILE_H

#include "symbolizer/dwarf/abbrev.h"
#include "symbolizer/indexer/elf.h"
#include "symbolizer/indexer/gather.h"
#include "symbolizer/indexer/map.h"

#define DWARF_NONE UINT64_MAX

struct dwarf_file;

struct dwarf_unit {
	struct dwarf_file *file;
	uint64_t offset; /* in .debug_info, of its header */
	uint64_t end;
	uint64_t root; /* its first DIE */
	uint64_t abbrev_offset;
	struct abbrev_sizes sizes;
	uint8_t type; /* enum dwarf_unit_type; 0 before version 5 */
	uint8_t root_is_read;
	uint16_t tag;                       /* of the root */
	const struct abbrev_table *abbrevs; /* NULL until asked for */
	const struct dwarf_unit *skeleton;  /* of a unit in a split file */

	/* From the root: */
	uint64_t base_pc; /* what its ranges are relative to */
	uint64_t str_offsets_base;
	uint64_t addr_base;
	uint64_t rnglists_base;
	uint64_t ranges_base; /* of the skeleton, GNU's way in version 4 */
	uint64_t stmt_list;   /* in .debug_line, or DWARF_NONE */
	uint64_t dwo_id;
	const char *name, *comp_dir, *dwo_name; /* or NULL */
	const uint32_t *files; /* what its line table calls 0, 1, ... */
	size_t file_count;
	struct map name_by_die; /* offset -> name + 1 */
};

struct dwarf_file {
	struct gather *gather;
	struct span info, abbrev, str, line_str, line, ranges, rnglists, addr,
		str_offsets;
	struct dwarf_unit *units; /* in order of offset */
	size_t unit_count, unit_capacity;
	struct abbrev_table **abbrev_tables;
	size_t abbrev_table_count, abbrev_table_capacity;
	struct map abbrev_by_offset;  /* offset + 1 -> index + 1 */
	struct map lines_by_offset;   /* offset + 1 -> unit + 1 */
	struct dwarf_file *alternate; /* or NULL */
	struct dwarf_file *main;      /* of a split file, or NULL */
	uint32_t damaged;             /* units that end in nonsense */
	uint32_t without_alternate;   /* references that lead nowhere */
	int error; /* of a section that could not be unfolded, -errno */
};

/* An attribute as it stands there. */
struct dwarf_value {
	uint64_t number;
	const char *text; /* of DW_FORM_string */
	uint32_t form;    /* 0: there is none */
};

/* The attributes of a DIE that say where code is from. */
struct dwarf_die {
	struct dwarf_value name, linkage_name, origin, specification;
	struct dwarf_value low_pc, high_pc, ranges;
	struct dwarf_value call_file, call_line, call_column, discriminator;
};

/* Takes the sections and lists the units. The elf must stay open. */
void dwarf_file_init(struct dwarf_file *file, struct elf *elf,
		     struct gather *gather, struct dwarf_file *main_file);

/* The table of a unit's abbreviations. */
const struct abbrev_table *dwarf_abbrevs(struct dwarf_unit *unit);

/* Reads what the root says; once. */
void dwarf_read_root(struct dwarf_unit *unit);

/* The unit that an offset of .debug_info is in, or NULL. */
struct dwarf_unit *dwarf_unit_of(struct dwarf_file *file, uint64_t offset);

/* Reads the attributes behind an abbreviation's code. */
void dwarf_read_die(struct dwarf_unit *unit, const struct abbrev *abbrev,
		    struct cursor *cursor, struct dwarf_die *out);

/* The meanings of values. NULL, 0 and DWARF_NONE where there is none. */
const char *dwarf_string(struct dwarf_unit *unit, struct dwarf_value value);
int dwarf_address(const struct dwarf_unit *unit, struct dwarf_value value,
		  uint64_t *out);

/* The unit and the offset that a reference leads to; NULL if nowhere. */
struct dwarf_unit *dwarf_reference(struct dwarf_unit *unit,
				   struct dwarf_value value, uint64_t *offset);

/* The name (of gather->texts) of a function's DIE; 0 if it has none. */
uint32_t dwarf_function_name(struct dwarf_unit *unit,
			     const struct dwarf_die *die);

#endif
