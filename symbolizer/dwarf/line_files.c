/* SPDX-License-Identifier: MIT */
/*
 * Paths of line tables. A file is (directory, name), and directories may be
 * relative to that of the unit. Up to version 4, directory 0 is the unit's, and
 * both numbers count from 1. In version 5 both count from 0, and the table
 * describes the format of its entries. If the unit's directory and directory 0
 * are equal and relative, the path contains both, as in other tools.
 */
#include "symbolizer/dwarf/line_files.h"

#include <errno.h>
#include <stdlib.h>

#include "symbolizer/dwarf/constants.h"
#include "symbolizer/dwarf/values.h"
#include "symbolizer/elf/heap.h"

enum { MOST_FORMATS = 16 };

struct line_entry {
	const char *path;
	uint64_t directory;
};

struct entry_format {
	struct abbrev_attribute items[MOST_FORMATS];
	size_t count;
	/* the sizes of the line table, which may differ from the unit's */
	struct abbrev_sizes sizes;
};

static int is_absolute(const char *path)
{
	return path[0] == '/';
}

static void add_directory(struct line_files *files, const char *path)
{
	files->directories = heap_reserve(
		files->directories, files->directory_count + 1,
		&files->directory_capacity, sizeof(*files->directories));
	files->directories[files->directory_count++] = path ? path : "";
}

static const char *slash_after(const char *directory)
{
	size_t length = strlen(directory);

	return length > 0 && directory[length - 1] != '/' ? "/" : "";
}

static uint32_t file_at(const struct line_files *files,
			const struct line_entry *entry)
{
	const char *base = files->unit->comp_dir ? files->unit->comp_dir : "";
	const char *directory = entry->directory < files->directory_count
					? files->directories[entry->directory]
					: "";
	char *path;
	uint32_t file;

	if (!entry->path || !*entry->path)
		return 0;
	if (is_absolute(entry->path))
		base = directory = "";
	else if (is_absolute(directory))
		base = "";
	path = heap_printf("%s%s%s%s%s", base,
			   *directory ? slash_after(base) : "", directory,
			   *directory || *base
				   ? slash_after(*directory ? directory : base)
				   : "",
			   entry->path);
	file = texts_file(&files->unit->file->gather->texts, path);
	free(path);
	return file;
}

static void add_file(struct line_files *files, const struct line_entry *entry)
{
	uint32_t file = file_at(files, entry);

	files->numbers =
		heap_reserve(files->numbers, files->count + 1, &files->capacity,
			     sizeof(*files->numbers));
	files->numbers[files->count++] = file;
}

static void read_old_entry(struct cursor *cursor, struct line_entry *entry)
{
	entry->path = cursor_string(cursor);
	if (!*entry->path)
		return;
	entry->directory = cursor_uleb(cursor);
	cursor_uleb(cursor); /* the file's time is not needed */
	cursor_uleb(cursor); /* the file's length is not needed */
}

void line_files_define(struct line_files *files, struct cursor *cursor)
{
	struct line_entry entry = { 0 };

	read_old_entry(cursor, &entry);
	if (!cursor->is_bad && *entry.path)
		add_file(files, &entry);
}

static void read_old_tables(struct cursor *cursor, struct line_files *files)
{
	struct line_entry entry = { .path = files->unit->name };
	const char *directory;

	add_directory(files, ""); /* the unit's directory, before the others */
	while (*(directory = cursor_string(cursor)))
		add_directory(files, directory);
	/* There is no file 0, so the unit's name is used. */
	add_file(files, &entry);
	for (;;) {
		entry = (struct line_entry){ 0 };
		read_old_entry(cursor, &entry);
		if (cursor->is_bad || !*entry.path)
			return;
		add_file(files, &entry);
	}
}

static int read_format(struct cursor *cursor, struct entry_format *format)
{
	format->count = cursor_u8(cursor);
	if (format->count > MOST_FORMATS)
		return -EBADMSG;
	for (size_t i = 0; i < format->count; i++) {
		uint64_t name = cursor_uleb(cursor);
		uint64_t form = cursor_uleb(cursor);

		format->items[i] = (struct abbrev_attribute){
			.name = name > UINT16_MAX ? 0 : (uint16_t)name,
			.form = form > UINT16_MAX ? 0 : (uint16_t)form,
		};
	}
	return cursor->is_bad ? -EBADMSG : 0;
}

static void read_new_entry(struct dwarf_unit *unit, struct cursor *cursor,
			   const struct entry_format *format,
			   struct line_entry *entry)
{
	*entry = (struct line_entry){ 0 };
	for (size_t i = 0; i < format->count; i++) {
		struct dwarf_value value =
			dwarf_value(cursor, format->sizes, &format->items[i]);

		if (format->items[i].name == DW_LNCT_path)
			entry->path = dwarf_string(unit, value);
		else if (format->items[i].name == DW_LNCT_directory_index)
			entry->directory = value.number;
	}
}

static int read_new_tables(struct cursor *cursor, struct line_files *files,
			   struct abbrev_sizes sizes)
{
	struct entry_format format = { .sizes = sizes };
	struct line_entry entry;
	uint64_t count;

	if (read_format(cursor, &format) != 0)
		return -EBADMSG;
	count = cursor_uleb(cursor);
	for (uint64_t i = 0; i < count && !cursor->is_bad && format.count;
	     i++) {
		read_new_entry(files->unit, cursor, &format, &entry);
		add_directory(files, entry.path);
	}
	if (read_format(cursor, &format) != 0)
		return -EBADMSG;
	count = cursor_uleb(cursor);
	for (uint64_t i = 0; i < count && !cursor->is_bad && format.count;
	     i++) {
		read_new_entry(files->unit, cursor, &format, &entry);
		add_file(files, &entry);
	}
	return cursor->is_bad ? -EBADMSG : 0;
}

int line_header_read(struct dwarf_unit *unit, struct cursor *cursor,
		     struct line_header *header, struct line_files *files)
{
	struct cursor part, tables;
	struct abbrev_sizes sizes;

	*files = (struct line_files){ .unit = unit };
	header->offset_bytes = dwarf_initial_length(cursor, &part);
	header->version = cursor_u16(&part);
	if (header->version < 2 || header->version > 5)
		return -EBADMSG;
	if (header->version == 5)
		/* skips the sizes of addresses and selectors */
		cursor_u16(&part);
	tables = cursor_part(&part, cursor_number(&part, header->offset_bytes));
	header->least_bytes = cursor_u8(&tables);
	header->most_operations = header->version >= 4 ? cursor_u8(&tables) : 1;
	cursor_u8(&tables); /* skips the default of is_stmt */
	header->line_base = (int8_t)cursor_u8(&tables);
	header->line_range = cursor_u8(&tables);
	header->opcode_base = cursor_u8(&tables);
	if (header->line_range == 0 || header->opcode_base == 0)
		return -EBADMSG;
	header->operands = (struct span){ tables.at, header->opcode_base - 1u };
	cursor_skip(&tables, header->opcode_base - 1u);
	if (tables.is_bad || part.is_bad)
		return -EBADMSG;
	*cursor = part;
	if (header->version < 5) {
		read_old_tables(&tables, files);
		return 0;
	}
	sizes = unit->sizes;
	sizes.offset = header->offset_bytes;
	return read_new_tables(&tables, files, sizes);
}
