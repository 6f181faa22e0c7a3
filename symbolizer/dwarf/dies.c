/* SPDX-License-Identifier: MIT */
/*
 * DIEs: their attributes, references to other DIEs, and names of functions,
 * which may be found by references.
 */
#include "symbolizer/dwarf/constants.h"
#include "symbolizer/dwarf/file.h"
#include "symbolizer/dwarf/values.h"

static struct dwarf_unit *in_alternate(struct dwarf_file *file, uint64_t offset)
{
	if (file->alternate)
		return dwarf_unit_of(file->alternate, offset);
	file->without_alternate++;
	return NULL;
}

struct dwarf_unit *dwarf_reference(struct dwarf_unit *unit,
				   struct dwarf_value value, uint64_t *offset)
{
	switch (value.form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		*offset = unit->offset + value.number;
		return *offset >= unit->root && *offset < unit->end ? unit
								    : NULL;
	case DW_FORM_ref_addr:
		*offset = value.number;
		return dwarf_unit_of(unit->file, value.number);
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		*offset = value.number;
		return in_alternate(unit->file, value.number);
	default:
		return NULL;
	}
}

static struct dwarf_value *die_value(struct dwarf_die *die, uint16_t name)
{
	switch (name) {
	case DW_AT_name:
		return &die->name;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return &die->linkage_name;
	case DW_AT_abstract_origin:
		return &die->origin;
	case DW_AT_specification:
		return &die->specification;
	case DW_AT_low_pc:
		return &die->low_pc;
	case DW_AT_high_pc:
		return &die->high_pc;
	case DW_AT_ranges:
		return &die->ranges;
	case DW_AT_call_file:
		return &die->call_file;
	case DW_AT_call_line:
		return &die->call_line;
	case DW_AT_call_column:
		return &die->call_column;
	case DW_AT_GNU_discriminator:
		return &die->discriminator;
	default:
		return NULL;
	}
}

void dwarf_read_die(struct dwarf_unit *unit, const struct abbrev *abbrev,
		    struct cursor *cursor, struct dwarf_die *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < abbrev->attribute_count; i++) {
		const struct abbrev_attribute *attribute =
			&abbrev->attributes[i];
		struct dwarf_value *value = die_value(out, attribute->name);

		if (value)
			*value = dwarf_value(cursor, unit->sizes, attribute);
		else
			abbrev_skip_form(cursor, attribute->form, unit->sizes);
	}
}

enum { MOST_HOPS = 16 };

static uint32_t name_at(struct dwarf_unit *unit, struct dwarf_value reference,
			int hops);

static uint32_t name_of(struct dwarf_unit *unit, const struct dwarf_die *die,
			int hops)
{
	struct texts *texts = &unit->file->gather->texts;
	uint32_t name =
		texts_name(texts, dwarf_string(unit, die->linkage_name));

	if (!name && die->origin.form)
		name = name_at(unit, die->origin, hops);
	if (!name && die->specification.form)
		name = name_at(unit, die->specification, hops);
	return name ? name : texts_name(texts, dwarf_string(unit, die->name));
}

/*
 * Returns the name (in gather->texts) of the function's DIE to which a
 * reference leads; 0 if there is none. Stores the name in a map by the DIE's
 * offset. `hops` is the number of references that were followed before.
 */
static uint32_t name_at(struct dwarf_unit *unit, struct dwarf_value reference,
			int hops)
{
	struct dwarf_unit *there;
	const struct abbrev_table *abbrevs;
	struct cursor cursor;
	struct dwarf_die die;
	uint64_t offset, code;
	uint32_t *known, name = 0;

	there = dwarf_reference(unit, reference, &offset);
	if (!there || hops >= MOST_HOPS)
		return 0;
	known = map_at(&there->name_by_die, offset);
	if (*known)
		return *known - 1;
	dwarf_read_root(there); /* sets the bases of the unit's strings */
	abbrevs = dwarf_abbrevs(there);
	cursor = cursor_at(there->file->info, offset);
	cursor.end = there->file->info.at + there->end;
	code = cursor_uleb(&cursor);
	if (code > 0 && code < abbrevs->count) {
		dwarf_read_die(there, &abbrevs->items[code], &cursor, &die);
		name = name_of(there, &die, hops + 1);
	}
	*map_at(&there->name_by_die, offset) = name + 1;
	return name;
}

uint32_t dwarf_function_name(struct dwarf_unit *unit,
			     const struct dwarf_die *die)
{
	return name_of(unit, die, 0);
}
