/* SPDX-License-Identifier: MIT */
/*
 * Abbreviations: what the bytes of a DIE mean, prepared for skipping them.
 *
 * Of twenty million DIEs one in twenty is looked at. So each abbreviation says
 * at once what kind it is for the scan, and how to get past its attributes:
 * runs of those that have a fixed size are one step.
 */
#ifndef CLEW_SYMBOLIZER_DWARF_ABBREV_H
#define CLEW_SYMBOLIZER_DWARF_ABBREV_H

#include "symbolizer/cursor.h"

struct abbrev_attribute {
	uint16_t name;    /* enum dwarf_at */
	uint16_t form;    /* enum dwarf_form */
	int64_t constant; /* of DW_FORM_implicit_const */
};

/* How to skip something whose size the bytes say. */
enum abbrev_step_kind {
	STEP_FIXED, /* `bytes` */
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

/* What the scan for code does with a DIE. */
enum abbrev_kind {
	ABBREV_ABSENT, /* no such code */
	ABBREV_OTHER,  /* skipped */
	ABBREV_FUNCTION_WITH_CODE,
	ABBREV_FUNCTION, /* a declaration, or one that is only inlined */
	ABBREV_INLINED,
};

struct abbrev {
	uint8_t kind; /* enum abbrev_kind */
	uint8_t has_children;
	uint16_t tag;
	uint16_t fixed_bytes; /* of the first steps, if they are fixed */
	uint16_t step_count;  /* the rest */
	uint32_t attribute_count;
	const struct abbrev_step *steps;
	const struct abbrev_attribute *attributes;
};

/* Codes are mostly 1, 2, 3, ..., so they are indices; others are refused. */
struct abbrev_table {
	struct abbrev *items; /* by code */
	size_t count;
};

/* What the sizes of forms depend on. */
struct abbrev_sizes {
	uint8_t address;
	uint8_t offset;
	uint16_t version;
};

/*
 * The table at an offset of .debug_abbrev. What is behind a damaged place is
 * absent. Lives as long as the worker.
 */
void abbrev_read(struct span section, uint64_t offset,
		 struct abbrev_sizes sizes, struct abbrev_table *out);

/* Gets past the attributes of a DIE. */
static inline void abbrev_skip(const struct abbrev *abbrev,
			       struct cursor *cursor);

/* The size of a form, or -1 where the bytes say it, or its kind is unknown. */
int abbrev_form_bytes(uint32_t form, struct abbrev_sizes sizes);

/* Skips an attribute of any form; spoils the cursor at an unknown one. */
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
