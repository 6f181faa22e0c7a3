/* SPDX-License-Identifier: MIT */
#include "symbolizer/dwarf/values.h"

#include "symbolizer/dwarf/constants.h"

struct dwarf_value dwarf_value(struct cursor *cursor, struct abbrev_sizes sizes,
			       const struct abbrev_attribute *attribute)
{
	int bytes = abbrev_form_bytes(attribute->form, sizes);
	struct dwarf_value value = { .form = attribute->form };

	switch (attribute->form) {
	case DW_FORM_implicit_const:
		value.number = (uint64_t)attribute->constant;
		break;
	case DW_FORM_sdata:
		value.number = (uint64_t)cursor_sleb(cursor);
		break;
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		value.number = cursor_uleb(cursor);
		break;
	case DW_FORM_string:
		value.text = cursor_string(cursor);
		break;
	default:
		if (bytes >= 0 && bytes <= 8) {
			value.number = cursor_number(cursor, (size_t)bytes);
		} else {
			abbrev_skip_form(cursor, attribute->form, sizes);
			value.form = 0;
		}
		break;
	}
	if (cursor->is_bad)
		value.form = 0;
	return value;
}

static const char *indexed_string(const struct dwarf_unit *unit, uint64_t index)
{
	size_t bytes = unit->sizes.offset;
	struct cursor cursor;
	uint64_t offset;

	if (index > unit->file->str_offsets.bytes)
		return NULL;
	cursor = cursor_at(unit->file->str_offsets,
			   unit->str_offsets_base + index * bytes);
	offset = cursor_number(&cursor, bytes);
	return cursor.is_bad ? NULL : span_string(unit->file->str, offset);
}

const char *dwarf_string(struct dwarf_unit *unit, struct dwarf_value value)
{
	struct dwarf_file *file = unit->file;

	switch (value.form) {
	case DW_FORM_string:
		return value.text;
	case DW_FORM_strp:
		return span_string(file->str, value.number);
	case DW_FORM_line_strp:
		return span_string(file->line_str, value.number);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		if (file->alternate)
			return span_string(file->alternate->str, value.number);
		file->without_alternate++;
		return NULL;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return indexed_string(unit, value.number);
	default:
		return NULL;
	}
}

int dwarf_indexed_address(const struct dwarf_unit *unit, uint64_t index,
			  uint64_t *out)
{
	const struct dwarf_unit *owner = unit->skeleton ? unit->skeleton : unit;
	struct cursor cursor;
	uint64_t address;

	if (index > owner->file->addr.bytes)
		return 0;
	cursor = cursor_at(owner->file->addr,
			   owner->addr_base + index * unit->sizes.address);
	address = cursor_number(&cursor, unit->sizes.address);
	if (cursor.is_bad)
		return 0;
	*out = address;
	return 1;
}

int dwarf_address(const struct dwarf_unit *unit, struct dwarf_value value,
		  uint64_t *out)
{
	switch (value.form) {
	case DW_FORM_addr:
		*out = value.number;
		return 1;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return dwarf_indexed_address(unit, value.number, out);
	default:
		return 0;
	}
}

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

/* The name of the DIE that a reference leads to, remembered by its place. */
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
	dwarf_read_root(there); /* for the bases of its strings */
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
