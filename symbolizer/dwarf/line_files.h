/* SPDX-License-Identifier: MIT */
/* The header of a line table, and its numbered files. */
#ifndef CLEW_SYMBOLIZER_DWARF_LINE_FILES_H
#define CLEW_SYMBOLIZER_DWARF_LINE_FILES_H

#include "symbolizer/dwarf/file.h"

struct line_header {
	uint16_t version;
	uint8_t offset_bytes;
	uint8_t least_bytes; /* least length of an instruction */
	uint8_t most_operations;
	int8_t line_base;
	uint8_t line_range;
	uint8_t opcode_base;
	struct span operands; /* number of operands for opcodes 1, 2, ... */
};

struct line_files {
	struct dwarf_unit *unit;
	const char **directories;
	size_t directory_count, directory_capacity;
	uint32_t *numbers; /* for each file number: the path's index in texts */
	size_t count, capacity;
};

/*
 * Reads a header. Afterwards the cursor covers the line program. Returns 0 or
 * -EBADMSG.
 */
int line_header_read(struct dwarf_unit *unit, struct cursor *cursor,
		     struct line_header *header, struct line_files *files);

/* Adds a file that a line program defines (DW_LNE_define_file). */
void line_files_define(struct line_files *files, struct cursor *cursor);

static inline uint32_t line_file(const struct line_files *files,
				 uint64_t number)
{
	return number < files->count ? files->numbers[number] : 0;
}

#endif
