/* SPDX-License-Identifier: MIT */
/* See file.h. */
#include "symbolizer/dwarf/file.h"

#include <stdio.h>
#include <stdlib.h>

#include "symbolizer/dwarf/constants.h"
#include "symbolizer/dwarf/values.h"
#include "symbolizer/elf/heap.h"

static struct span section_of(struct dwarf_file *file, struct elf *elf,
			      const char *name)
{
	char split_name[40];
	struct elf_section *section;
	struct span bytes;

	if (file->main) {
		snprintf(split_name, sizeof(split_name), "%s.dwo", name);
		name = split_name;
	}
	section = elf_section(elf, name);
	bytes = elf_bytes(elf, section);
	if (section && section->error)
		file->error = section->error;
	return bytes;
}

/*
 * Reads a unit's header. Returns 0, or -1 if its version is not supported or it
 * is damaged.
 */
static int read_header(struct cursor *cursor, struct dwarf_unit *unit)
{
	unit->sizes.version = cursor_u16(cursor);
	if (unit->sizes.version < 2 || unit->sizes.version > 5)
		return -1;
	if (unit->sizes.version == 5) {
		unit->type = cursor_u8(cursor);
		unit->sizes.address = cursor_u8(cursor);
	}
	unit->abbrev_offset = cursor_number(cursor, unit->sizes.offset);
	if (unit->sizes.version < 5)
		unit->sizes.address = cursor_u8(cursor);
	if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile)
		unit->dwo_id = cursor_u64(cursor);
	if (unit->type == DW_UT_type || unit->type == DW_UT_split_type) {
		cursor_u64(cursor);
		cursor_number(cursor, unit->sizes.offset);
	}
	if (cursor->is_bad || unit->sizes.address == 0 ||
	    unit->sizes.address > 8)
		return -1;
	return 0;
}

static void list_units(struct dwarf_file *file)
{
	struct cursor cursor = cursor_at(file->info, 0);
	struct cursor part;

	while (!cursor.is_bad && cursor_left(&cursor) > 0) {
		struct dwarf_unit unit = {
			.file = file,
			.offset = (uint64_t)(cursor.at - file->info.at),
			.stmt_list = DWARF_NONE,
		};

		unit.sizes.offset = dwarf_initial_length(&cursor, &part);
		unit.end = (uint64_t)(cursor.at - file->info.at);
		if (cursor.is_bad || read_header(&part, &unit) != 0) {
			file->damaged++;
			continue;
		}
		unit.root = (uint64_t)(part.at - file->info.at);
		file->units = heap_reserve(file->units, file->unit_count + 1,
					   &file->unit_capacity,
					   sizeof(*file->units));
		file->units[file->unit_count++] = unit;
	}
}

void dwarf_file_init(struct dwarf_file *file, struct elf *elf,
		     struct gather *gather, struct dwarf_file *main_file)
{
	*file = (struct dwarf_file){ .gather = gather, .main = main_file };
	file->info = section_of(file, elf, ".debug_info");
	file->abbrev = section_of(file, elf, ".debug_abbrev");
	file->str = section_of(file, elf, ".debug_str");
	file->str_offsets = section_of(file, elf, ".debug_str_offsets");
	file->rnglists = section_of(file, elf, ".debug_rnglists");
	file->line = section_of(file, elf, ".debug_line");
	if (!main_file) {
		file->line_str = section_of(file, elf, ".debug_line_str");
		file->ranges = section_of(file, elf, ".debug_ranges");
		file->addr = section_of(file, elf, ".debug_addr");
	}
	list_units(file);
}

const struct abbrev_table *dwarf_abbrevs(struct dwarf_unit *unit)
{
	struct dwarf_file *file = unit->file;
	/*
	 * The sizes are a part of the key, although only forged files have
	 * units with different sizes and the same table.
	 */
	uint64_t key =
		(unit->abbrev_offset << 16 ^
		 (uint64_t)unit->sizes.version << 8 ^
		 (uint64_t)unit->sizes.offset << 4 ^ unit->sizes.address) +
		1;
	struct abbrev_table *table;
	uint32_t *slot;

	if (unit->abbrevs)
		return unit->abbrevs;
	slot = map_at(&file->abbrev_by_offset, key ? key : 1);
	if (!*slot) {
		table = heap_zeroed(1, sizeof(*table));
		abbrev_read(file->abbrev, unit->abbrev_offset, unit->sizes,
			    table);
		file->abbrev_tables = heap_reserve(
			file->abbrev_tables, file->abbrev_table_count + 1,
			&file->abbrev_table_capacity,
			sizeof(struct abbrev_table *));
		file->abbrev_tables[file->abbrev_table_count++] = table;
		*slot = (uint32_t)file->abbrev_table_count;
	}
	return unit->abbrevs = file->abbrev_tables[*slot - 1];
}

struct dwarf_unit *dwarf_unit_of(struct dwarf_file *file, uint64_t offset)
{
	size_t low = 0, high = file->unit_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->units[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || offset < file->units[low - 1].root ||
	    offset >= file->units[low - 1].end)
		return NULL;
	return &file->units[low - 1];
}

static uint64_t number_of(struct dwarf_value value, uint64_t otherwise)
{
	return value.form ? value.number : otherwise;
}

/*
 * The root's attributes. Strings and addresses are resolved after all
 * attributes are read, since the bases may come last.
 */
struct root {
	struct dwarf_value name, comp_dir, dwo_name, low_pc;
	struct dwarf_value stmt_list, str_offsets_base, addr_base,
		rnglists_base, ranges_base, dwo_id;
};

static struct dwarf_value *root_value(struct root *root, uint16_t name)
{
	switch (name) {
	case DW_AT_name:
		return &root->name;
	case DW_AT_comp_dir:
		return &root->comp_dir;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return &root->dwo_name;
	case DW_AT_low_pc:
		return &root->low_pc;
	case DW_AT_stmt_list:
		return &root->stmt_list;
	case DW_AT_str_offsets_base:
		return &root->str_offsets_base;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		return &root->addr_base;
	case DW_AT_rnglists_base:
		return &root->rnglists_base;
	case DW_AT_GNU_ranges_base:
		return &root->ranges_base;
	case DW_AT_GNU_dwo_id:
		return &root->dwo_id;
	default:
		return NULL;
	}
}

static void take_root(struct dwarf_unit *unit, const struct root *root)
{
	uint64_t header = unit->sizes.offset == 8 ? 16 : 8;
	int is_split = unit->file->main != NULL;

	/* A .dwo file has no bases: its tables begin after their headers. */
	unit->str_offsets_base +=
		number_of(root->str_offsets_base,
			  is_split && unit->sizes.version == 5 ? header : 0);
	unit->rnglists_base += number_of(
		root->rnglists_base, unit->sizes.version == 5 ? header + 4 : 0);
	unit->addr_base = number_of(root->addr_base, 0);
	unit->ranges_base = number_of(root->ranges_base, 0);
	unit->stmt_list = number_of(root->stmt_list, DWARF_NONE);
	unit->dwo_id = number_of(root->dwo_id, unit->dwo_id);
	unit->name = dwarf_string(unit, root->name);
	unit->comp_dir = dwarf_string(unit, root->comp_dir);
	unit->dwo_name = dwarf_string(unit, root->dwo_name);
	dwarf_address(unit, root->low_pc, &unit->base_pc);
}

void dwarf_read_root(struct dwarf_unit *unit)
{
	struct cursor cursor = cursor_at(unit->file->info, unit->root);
	const struct abbrev_table *abbrevs = dwarf_abbrevs(unit);
	const struct abbrev *abbrev;
	struct root root = { 0 };
	uint64_t code;

	if (unit->root_is_read)
		return;
	unit->root_is_read = 1;
	cursor.end = unit->file->info.at + unit->end;
	code = cursor_uleb(&cursor);
	if (code >= abbrevs->count)
		return;
	abbrev = &abbrevs->items[code];
	unit->tag = abbrev->tag;
	for (size_t i = 0; i < abbrev->attribute_count; i++) {
		const struct abbrev_attribute *attribute =
			&abbrev->attributes[i];
		struct dwarf_value *value = root_value(&root, attribute->name);

		if (value)
			*value = dwarf_value(&cursor, unit->sizes, attribute);
		else
			abbrev_skip_form(&cursor, attribute->form, unit->sizes);
	}
	take_root(unit, &root);
}
