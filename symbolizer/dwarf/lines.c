/* SPDX-License-Identifier: MIT */
/* See lines.h. */
#include "symbolizer/dwarf/lines.h"

#include <stdlib.h>

#include "symbolizer/dwarf/constants.h"
#include "symbolizer/dwarf/line_files.h"
#include "symbolizer/dwarf/values.h"
#include "symbolizer/elf/heap.h"

/* The registers of the standard's state machine that the reader uses. */
struct machine {
	uint64_t address;
	uint64_t file;
	uint64_t line;
	uint64_t column;
	uint64_t discriminator;
	uint64_t op_index;
};

struct program {
	struct dwarf_unit *unit;
	struct gather *gather;
	struct line_header header;
	struct line_files files;
	struct machine at;
	size_t first_row;  /* first row of the sequence */
	uint64_t area_end; /* end of the section that contains the sequence */
	int is_dropped;    /* whether the sequence is not in code */
	int has_rows;      /* whether the sequence has at least one row */
};

static void begin_sequence(struct program *program)
{
	program->at = (struct machine){ .file = 1, .line = 1 };
	program->first_row = program->gather->row_count;
	program->is_dropped = program->has_rows = 0;
}

static uint32_t capped(uint64_t number, uint32_t most)
{
	return number > most ? most : (uint32_t)number;
}

static void append(struct program *program, uint64_t address)
{
	struct gather *gather = program->gather;

	gather->rows =
		heap_reserve(gather->rows, gather->row_count + 1,
			     &gather->row_capacity, sizeof(*gather->rows));
	gather->rows[gather->row_count++] = (struct gather_row){
		.start = gather_delta(gather, address),
		.file = line_file(&program->files, program->at.file),
		.line = capped(program->at.line, UINT32_MAX),
		.column = (uint16_t)capped(program->at.column, UINT16_MAX),
		.discriminator =
			(uint16_t)capped(program->at.discriminator, UINT16_MAX),
	};
}

/*
 * Adds a row. If several rows have one address, the last counts. A sequence
 * must ascend inside one section; a row that does not is damaged and omitted.
 */
static void add_row(struct program *program)
{
	struct gather *gather = program->gather;
	uint64_t address = program->at.address;
	uint32_t last;

	if (program->is_dropped)
		return;
	if (!program->has_rows) {
		program->has_rows = 1;
		program->is_dropped =
			!gather_is_code(gather, address, &program->area_end);
		if (!program->is_dropped)
			append(program, address);
		return;
	}
	last = gather->rows[gather->row_count - 1].start;
	if (address < gather->base + last || address >= program->area_end)
		return;
	if (address == gather->base + last)
		gather->row_count--;
	append(program, address);
}

static void end_sequence(struct program *program)
{
	struct gather *gather = program->gather;
	size_t first = program->first_row;
	uint64_t end = program->at.address;

	if (!program->has_rows || program->is_dropped)
		return;
	if (end > program->area_end)
		end = program->area_end;
	if (end <= gather->base + gather->rows[gather->row_count - 1].start) {
		/*
		 * The sequence has no valid end, so its last row becomes the
		 * end of the rows before.
		 */
		if (gather->row_count - first < 2) {
			gather->row_count = first;
			return;
		}
	} else {
		append(program, end);
	}
	gather_add_run(&gather->row_runs, gather->rows[first].start, first,
		       gather->row_count - first);
}

static void advance(struct program *program, uint64_t operations)
{
	const struct line_header *header = &program->header;
	uint64_t most = header->most_operations;

	if (most <= 1) {
		program->at.address += operations * header->least_bytes;
		return;
	}
	operations += program->at.op_index;
	program->at.address += operations / most * header->least_bytes;
	program->at.op_index = operations % most;
}

static void run_special(struct program *program, uint8_t opcode)
{
	uint8_t adjusted = opcode - program->header.opcode_base;

	advance(program, adjusted / program->header.line_range);
	program->at.line += (uint64_t)(program->header.line_base +
				       adjusted % program->header.line_range);
	add_row(program);
	program->at.discriminator = 0;
}

static void run_extended(struct program *program, struct cursor *cursor)
{
	struct cursor part = cursor_part(cursor, cursor_uleb(cursor));

	if (cursor_left(&part) == 0)
		return;
	switch (cursor_u8(&part)) {
	case DW_LNE_end_sequence:
		end_sequence(program);
		begin_sequence(program);
		break;
	case DW_LNE_set_address:
		program->at.address = cursor_number(
			&part, cursor_left(&part) < 8 ? cursor_left(&part) : 8);
		program->at.op_index = 0;
		break;
	case DW_LNE_define_file:
		line_files_define(&program->files, &part);
		break;
	case DW_LNE_set_discriminator:
		program->at.discriminator = cursor_uleb(&part);
		break;
	default:
		break;
	}
}

static void skip_operands(struct program *program, struct cursor *cursor,
			  uint8_t opcode)
{
	for (unsigned int i = 0; i < program->header.operands.at[opcode - 1];
	     i++)
		cursor_uleb(cursor);
}

static void run_standard(struct program *program, struct cursor *cursor,
			 uint8_t opcode)
{
	switch (opcode) {
	case DW_LNS_copy:
		add_row(program);
		program->at.discriminator = 0;
		break;
	case DW_LNS_advance_pc:
		advance(program, cursor_uleb(cursor));
		break;
	case DW_LNS_advance_line:
		program->at.line += (uint64_t)cursor_sleb(cursor);
		break;
	case DW_LNS_set_file:
		program->at.file = cursor_uleb(cursor);
		break;
	case DW_LNS_set_column:
		program->at.column = cursor_uleb(cursor);
		break;
	case DW_LNS_const_add_pc:
		advance(program, (uint8_t)(255 - program->header.opcode_base) /
					 program->header.line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		program->at.address += cursor_u16(cursor);
		program->at.op_index = 0;
		break;
	case DW_LNS_negate_stmt:
	case DW_LNS_set_basic_block:
	case DW_LNS_set_prologue_end:
	case DW_LNS_set_epilogue_begin:
		break;
	default:
		skip_operands(program, cursor, opcode);
		break;
	}
}

static void run(struct program *program, struct cursor *cursor)
{
	begin_sequence(program);
	while (cursor_left(cursor) > 0 && !cursor->is_bad) {
		uint8_t opcode = cursor_u8(cursor);

		if (opcode >= program->header.opcode_base)
			run_special(program, opcode);
		else if (opcode == 0)
			run_extended(program, cursor);
		else
			run_standard(program, cursor, opcode);
	}
	/* A sequence without an end is ignored. */
	if (program->has_rows &&
	    program->first_row < program->gather->row_count)
		program->gather->row_count = program->first_row;
}

static void share_files(struct dwarf_unit *unit, const struct line_files *files)
{
	unit->files = files->numbers;
	unit->file_count = files->count;
}

void dwarf_read_lines(struct dwarf_unit *unit)
{
	struct dwarf_file *file = unit->file;
	struct cursor cursor;
	struct program program = { .unit = unit, .gather = file->gather };
	uint32_t *slot;

	if (unit->stmt_list == DWARF_NONE || unit->files)
		return;
	slot = map_at(&file->lines_by_offset, unit->stmt_list + 1);
	if (*slot) {
		unit->files = file->units[*slot - 1].files;
		unit->file_count = file->units[*slot - 1].file_count;
		return;
	}
	*slot = (uint32_t)(unit - file->units) + 1;
	cursor = cursor_at(file->line, unit->stmt_list);
	if (line_header_read(unit, &cursor, &program.header, &program.files)) {
		file->damaged++;
		return;
	}
	share_files(unit, &program.files);
	run(&program, &cursor);
	share_files(unit, &program.files);
}

uint32_t dwarf_file_number(const struct dwarf_unit *unit, uint64_t number)
{
	const struct dwarf_unit *owner = unit->skeleton ? unit->skeleton : unit;

	return number < owner->file_count ? owner->files[number] : 0;
}
