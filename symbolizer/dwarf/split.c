/* SPDX-License-Identifier: MIT */
/*
 * A package has an index, a hash table from unit ids to rows. Row r says where
 * the unit's part of each section begins. All .dwo files share the sections of
 * the package, so bases are added: see dwarf/file.c. The layout of the index:
 *
 *	version, columns, units, slots
 *	slots x u64 id          slots x u32 row (0: empty)
 *	columns x u32 section   units x columns x u32 offset   ... sizes
 */
#include "symbolizer/dwarf/split.h"

#include <stdlib.h>

#include "symbolizer/dwarf/constants.h"
#include "symbolizer/elf/heap.h"

enum { MOST_COLUMNS = 16 };

struct package {
	struct dwarf_file file;
	struct elf elf;
	struct span index;
	int is_open;
};

struct split {
	struct dwarf_file *main;
	struct sources *sources;
	const char *module_path;
	struct package package;
	struct split_report report;
};

int split_is_skeleton(const struct dwarf_unit *unit)
{
	return unit->dwo_name != NULL &&
	       (unit->type == DW_UT_skeleton || unit->sizes.version < 5);
}

static void note_missing(struct split *split, const char *path)
{
	split->sources->wants_neighbour = 1;
	if (split->report.missing++ == 0)
		split->report.first_missing = heap_printf("%s", path);
}

/* ---- packages ---- */

static void open_package(struct split *split, const char *path)
{
	struct package *package = &split->package;
	char *name = heap_printf("%s.dwp", path);
	struct source *source = sources_add(split->sources, name);

	if (source->bytes != UINT64_MAX && elf_open(&package->elf, name) == 0) {
		source->role = SOURCE_DEBUG;
		package->is_open = 1;
		dwarf_file_init(&package->file, &package->elf,
				split->main->gather, split->main);
		package->index = elf_bytes(
			&package->elf,
			elf_section(&package->elf, ".debug_cu_index"));
	}
	free(name);
}

/* Offsets of a unit's contributions, by enum dwarf_sect. */
struct contributions {
	uint64_t offsets[MOST_COLUMNS];
};

/*
 * Returns the row of a unit's id in the package's index, or 0 if there is none.
 */
static uint32_t find_row(struct span index, uint64_t at_ids, uint32_t slots,
			 uint64_t id)
{
	uint32_t mask = slots - 1;
	uint32_t slot = (uint32_t)id & mask;
	uint32_t step = ((uint32_t)(id >> 32) & mask) | 1;

	for (uint32_t i = 0; i < slots; i++, slot = (slot + step) & mask) {
		struct cursor cursor =
			cursor_at(index, at_ids + (uint64_t)slot * 8);
		uint64_t there = cursor_u64(&cursor);
		uint32_t row;

		cursor = cursor_at(index, at_ids + (uint64_t)slots * 8 +
						  (uint64_t)slot * 4);
		row = cursor_u32(&cursor);
		if (cursor.is_bad || row == 0)
			return 0;
		if (there == id)
			return row;
	}
	return 0;
}

static int find_contributions(const struct package *package, uint64_t id,
			      struct contributions *out)
{
	struct cursor cursor = cursor_at(package->index, 0);
	uint32_t columns, slots, row;
	uint64_t at_names;
	struct cursor names, offsets;

	/* skips the version, and the padding in version 5 */
	cursor_u32(&cursor);
	columns = cursor_u32(&cursor);
	cursor_u32(&cursor); /* the number of units is not needed */
	slots = cursor_u32(&cursor);
	if (cursor.is_bad || slots == 0 || (slots & (slots - 1)) != 0 ||
	    columns > MOST_COLUMNS)
		return 0;
	row = find_row(package->index, 16, slots, id);
	if (row == 0)
		return 0;
	at_names = 16 + (uint64_t)slots * 12;
	names = cursor_at(package->index, at_names);
	offsets = cursor_at(package->index,
			    at_names + (uint64_t)row * columns * 4);
	*out = (struct contributions){ { 0 } };
	for (uint32_t i = 0; i < columns; i++) {
		uint32_t name = cursor_u32(&names);
		uint32_t offset = cursor_u32(&offsets);

		if (name < MOST_COLUMNS)
			out->offsets[name] = offset;
	}
	return !names.is_bad && !offsets.is_bad;
}

static struct dwarf_unit *find_in_package(struct split *split, uint64_t id)
{
	struct contributions at;
	struct dwarf_unit *unit;
	struct package *package = &split->package;

	if (!package->is_open || !find_contributions(package, id, &at))
		return NULL;
	for (size_t i = 0; i < package->file.unit_count; i++) {
		unit = &package->file.units[i];
		if (unit->offset != at.offsets[DW_SECT_INFO])
			continue;
		if (!unit->root_is_read) {
			unit->abbrev_offset += at.offsets[DW_SECT_ABBREV];
			unit->str_offsets_base =
				at.offsets[DW_SECT_STR_OFFSETS];
			if (unit->sizes.version == 5)
				unit->rnglists_base =
					at.offsets[DW_SECT_RNGLISTS];
		}
		return unit;
	}
	return NULL;
}

/* ---- files ---- */

static struct dwarf_unit *first_compile_unit(struct dwarf_file *file)
{
	for (size_t i = 0; i < file->unit_count; i++) {
		struct dwarf_unit *unit = &file->units[i];

		if (unit->type == 0 || unit->type == DW_UT_split_compile)
			return unit;
	}
	return NULL;
}

static char *dwo_path(const struct split *split, const struct dwarf_unit *unit,
		      int is_beside)
{
	const char *root = split->sources->root;
	const char *slash = strrchr(unit->dwo_name, '/');
	const char *module_slash = strrchr(split->module_path, '/');

	if (is_beside)
		return heap_printf(
			"%.*s/%s", (int)(module_slash - split->module_path),
			split->module_path, slash ? slash + 1 : unit->dwo_name);
	if (unit->dwo_name[0] == '/' || !unit->comp_dir)
		return heap_printf("%s%s", root, unit->dwo_name);
	return heap_printf("%s%s/%s", root, unit->comp_dir, unit->dwo_name);
}

/*
 * Reads the scopes of a .dwo file, if its unit is that of the skeleton. Returns
 * 0, or -1 if the file cannot be read.
 */
static int read_file(struct split *split, struct scopes *scopes,
		     struct dwarf_unit *skeleton, const char *path)
{
	struct source *source = sources_add(split->sources, path);
	struct dwarf_file *file;
	struct dwarf_unit *unit;
	struct elf *elf;

	if (source->bytes == UINT64_MAX)
		return -1;
	elf = heap_zeroed(1, sizeof(*elf));
	if (elf_open(elf, path) != 0) {
		free(elf);
		return -1;
	}
	file = heap_zeroed(1, sizeof(*file));
	dwarf_file_init(file, elf, split->main->gather, split->main);
	unit = first_compile_unit(file);
	if (unit)
		dwarf_read_root(unit);
	if (!unit || unit->dwo_id != skeleton->dwo_id) {
		free(file);
		elf_close(elf);
		free(elf);
		return -1;
	}
	source->role = SOURCE_DEBUG;
	unit->skeleton = skeleton;
	dwarf_read_scopes(scopes, unit);
	/*
	 * Names are in texts and files in the skeleton, so the rest can be
	 * freed.
	 */
	map_fini(&file->abbrev_by_offset);
	free(file->units);
	elf_close(elf);
	free(elf);
	free(file);
	return 0;
}

void split_read_scopes(struct split *split, struct scopes *scopes,
		       struct dwarf_unit *skeleton)
{
	struct dwarf_unit *unit = find_in_package(split, skeleton->dwo_id);
	char *path, *beside;

	split->report.wanted++;
	if (unit) {
		unit->skeleton = skeleton;
		dwarf_read_root(unit);
		dwarf_read_scopes(scopes, unit);
		return;
	}
	path = dwo_path(split, skeleton, 0);
	beside = dwo_path(split, skeleton, 1);
	if (read_file(split, scopes, skeleton, path) != 0 &&
	    read_file(split, scopes, skeleton, beside) != 0)
		note_missing(split, path);
	free(path);
	free(beside);
}

struct split *split_create(struct dwarf_file *main_file,
			   struct sources *sources, const char *const *paths)
{
	struct split *split = heap_zeroed(1, sizeof(*split));

	split->main = main_file;
	split->sources = sources;
	split->module_path = paths[0];
	for (size_t i = 0; paths[i] && !split->package.is_open; i++)
		open_package(split, paths[i]);
	return split;
}

const struct split_report *split_report(const struct split *split)
{
	return &split->report;
}
