/* SPDX-License-Identifier: MIT */
/*
 * Abbreviations: the layout of DIEs, prepared for skipping them.
 *
 * Large programs have about twenty million DIEs, of which only one in twenty is
 * read. Each abbreviation therefore contains its kind for the scan, and the
 * steps by which its attributes are skipped: consecutive attributes of fixed
 * size are one step.
 */
#ifndef CLEW_SYMBOLIZER_DWARF_ABBREV_H
#define CLEW_SYMBOLIZER_DWARF_ABBREV_H

#include "base/cursor.h"

struct abbrev_attribute {
	uint16_t name;    /* enum dwarf_at */
	uint16_t form;    /* enum dwarf_form */
	int64_t constant; /* value of DW_FORM_implicit_const */
};

/* How to skip an attribute whose size depends on its bytes. */
enum abbrev_step_kind {
	STEP_FIXED, /* skip `bytes` */
	STEP_LEB,
	STEP_STRING,
	STEP_BLOCK1,
	STEP_BLOCK2,
	STEP_BLOCK4,
	STEP_BLOCK,
	STEP_INDIRECT,
};

struct abbrev_step {
	uint16_t kind;
	uint16_t bytes;
};

/* How the scan for code treats a DIE. */
enum abbrev_kind {
	ABBREV_ABSENT, /* there is no abbreviation with this code */
	ABBREV_OTHER,  /* DIEs with this code are skipped */
	ABBREV_FUNCTION_WITH_CODE,
	ABBREV_FUNCTION, /* a declaration, or a function that is only inlined */
	ABBREV_INLINED,
};

struct abbrev {
	uint8_t kind; /* enum abbrev_kind */
	uint8_t has_children;
	uint16_t tag;
	uint16_t fixed_bytes; /* bytes to skip before the first of `steps` */
	uint16_t step_count;  /* number of remaining steps */
	uint32_t attribute_count;
	const struct abbrev_step *steps;
	const struct abbrev_attribute *attributes;
};

/*
 * The abbreviations of a table by their codes, which compilers number 1, 2, 3,
 * ... Codes above a limit are not accepted.
 */
struct abbrev_table {
	struct abbrev *items; /* indexed by code */
	size_t count;
};

/* Properties on which sizes of forms depend. */
struct abbrev_sizes {
	uint8_t address;
	uint8_t offset;
	uint16_t version;
};

/*
 * Reads the table at an offset of .debug_abbrev. Entries after a damaged one
 * are absent. The table lives as long as the worker.
 */
void abbrev_read(struct span section, uint64_t offset,
		 struct abbrev_sizes sizes, struct abbrev_table *out);

/* Skips the attributes of a DIE. */
static inline void abbrev_skip(const struct abbrev *abbrev,
			       struct cursor *cursor);

/*
 * Returns the size of a form; -1 if it depends on the bytes or the form is
 * unknown.
 */
int abbrev_form_bytes(uint32_t form, struct abbrev_sizes sizes);

/*
 * Skips an attribute of any form; makes the cursor bad if the form is unknown.
 */
void abbrev_skip_form(struct cursor *cursor, uint32_t form,
		      struct abbrev_sizes sizes);

void abbrev_take_steps(const struct abbrev *abbrev, struct cursor *cursor);

static inline void abbrev_skip(const struct abbrev *abbrev,
			       struct cursor *cursor)
{
	cursor_skip(cursor, abbrev->fixed_bytes);
	if (abbrev->step_count > 0)
		abbrev_take_steps(abbrev, cursor);
}

#endif
