/* SPDX-License-Identifier: MIT */
/* See values.h. */
#include "symbolizer/dwarf/values.h"

#include "symbolizer/dwarf/constants.h"

uint8_t dwarf_initial_length(struct cursor *cursor, struct cursor *part)
{
	uint64_t length = cursor_u32(cursor);
	uint8_t offset_bytes = 4;

	if (length == 0xffffffff) {
		length = cursor_u64(cursor);
		offset_bytes = 8;
	}
	*part = cursor_part(cursor, length);
	return offset_bytes;
}

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
