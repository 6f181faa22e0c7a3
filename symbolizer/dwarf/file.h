/* SPDX-License-Identifier: MIT */
/*
 * The DWARF of one file: its sections and units, and reading of DIEs.
 *
 * clew has its own reader, because libdwarf 20210528 needs 5.5 s of CPU time
 * only to visit the DIEs of libjvm.so. This scan of all DIEs with code takes a
 * small part of that. Moreover, libdwarf fails on the output of present
 * compilers and packagers (see tests/e2e/a2n_matrix_test.py). Tests compare the
 * reader with libdwarf, addr2line and llvm-symbolizer.
 *
 * There are three kinds of files. A *main* file has units with addresses. A
 * *split* file (.dwo, .dwp) has the rest of units whose skeletons are in a main
 * file; it refers to the addresses, ranges and lines there. An *alternate* file
 * (of dwz) has strings and DIEs that others refer to, and no code.
 */
#ifndef CLEW_SYMBOLIZER_DWARF_FILE_H
#define CLEW_SYMBOLIZER_DWARF_FILE_H

#include "symbolizer/dwarf/abbrev.h"
#include "symbolizer/elf/elf.h"
#include "symbolizer/elf/gather.h"
#include "symbolizer/elf/map.h"

#define DWARF_NONE UINT64_MAX

struct dwarf_file;

struct dwarf_unit {
	struct dwarf_file *file;
	uint64_t offset; /* offset of the unit's header in .debug_info */
	uint64_t end;
	uint64_t root; /* offset of its first DIE */
	uint64_t abbrev_offset;
	struct abbrev_sizes sizes;
	uint8_t type; /* enum dwarf_unit_type; 0 before version 5 */
	uint8_t root_is_read;
	uint16_t tag;                       /* tag of the root DIE */
	const struct abbrev_table *abbrevs; /* NULL until the first use */
	/* The unit's skeleton, if the unit is in a split file. */
	const struct dwarf_unit *skeleton;

	/* The following members have values from the root DIE. */
	uint64_t base_pc; /* base of the unit's ranges */
	uint64_t str_offsets_base;
	uint64_t addr_base;
	uint64_t rnglists_base;
	/*
	 * For split units of DWARF 4, the attribute DW_AT_GNU_ranges_base of
	 * the skeleton unit.
	 */
	uint64_t ranges_base;
	uint64_t stmt_list; /* offset in .debug_line, or DWARF_NONE */
	uint64_t dwo_id;
	const char *name, *comp_dir, *dwo_name; /* may be NULL */
	/* For each file number of the line table: the path's index in texts. */
	const uint32_t *files;
	size_t file_count;
	/* Maps offsets of DIEs to 1 + their name's index in texts. */
	struct map name_by_die;
};

struct dwarf_file {
	struct gather *gather;
	struct span info, abbrev, str, line_str, line, ranges, rnglists, addr,
		str_offsets;
	struct dwarf_unit *units; /* the units, sorted by offset */
	size_t unit_count, unit_capacity;
	struct abbrev_table **abbrev_tables;
	size_t abbrev_table_count, abbrev_table_capacity;
	/*
	 * Maps an offset in .debug_abbrev, combined with struct abbrev_sizes,
	 * to 1 + an index in abbrev_tables.
	 */
	struct map abbrev_by_offset;
	/* Maps 1 + an offset in .debug_line to 1 + the index of a unit. */
	struct map lines_by_offset;
	struct dwarf_file *alternate; /* may be NULL */
	/* The main file, for a split file; else NULL. */
	struct dwarf_file *main;
	uint32_t damaged; /* number of malformed units */
	/* number of references that need a missing alternate file */
	uint32_t without_alternate;
	int error; /* -errno if a section could not be decompressed, or 0 */
};

/* The raw value of an attribute. */
struct dwarf_value {
	uint64_t number;
	const char *text; /* for DW_FORM_string */
	uint32_t form;    /* 0 if there is no such attribute */
};

/* The attributes of a DIE that describe code. */
struct dwarf_die {
	struct dwarf_value name, linkage_name, origin, specification;
	struct dwarf_value low_pc, high_pc, ranges;
	struct dwarf_value call_file, call_line, call_column, discriminator;
};

/*
 * Reads the sections and lists the units. main_file is NULL unless `elf` is a
 * split file. `elf` must stay open as long as *file is used.
 */
void dwarf_file_init(struct dwarf_file *file, struct elf *elf,
		     struct gather *gather, struct dwarf_file *main_file);

/* Returns the table of a unit's abbreviations. */
const struct abbrev_table *dwarf_abbrevs(struct dwarf_unit *unit);

/*
 * Reads the unit's root DIE on the first call, and sets the members of *unit
 * that have values from it.
 */
void dwarf_read_root(struct dwarf_unit *unit);

/* Returns the unit to whose DIEs an offset of .debug_info leads, or NULL. */
struct dwarf_unit *dwarf_unit_of(struct dwarf_file *file, uint64_t offset);

/* Reads the attributes after an abbreviation's code. */
void dwarf_read_die(struct dwarf_unit *unit, const struct abbrev *abbrev,
		    struct cursor *cursor, struct dwarf_die *out);

/*
 * Resolve the value of an attribute. dwarf_string() returns a text, or NULL if
 * the value is no valid text. dwarf_address() returns 1 and stores the address
 * in *out, or returns 0 if the value is no valid address.
 */
const char *dwarf_string(struct dwarf_unit *unit, struct dwarf_value value);
int dwarf_address(const struct dwarf_unit *unit, struct dwarf_value value,
		  uint64_t *out);

/*
 * Returns the unit of the DIE to which an attribute of `unit` refers, and
 * stores the DIE's offset in that unit's .debug_info in *offset. Returns NULL
 * if the reference is invalid, if it leads to an alternate file that is
 * missing, or if it is a signature (DW_FORM_ref_sig8).
 */
struct dwarf_unit *dwarf_reference(struct dwarf_unit *unit,
				   struct dwarf_value value, uint64_t *offset);

/* Returns the name (in gather->texts) of a function's DIE; 0 if it has none. */
uint32_t dwarf_function_name(struct dwarf_unit *unit,
			     const struct dwarf_die *die);

#endif
