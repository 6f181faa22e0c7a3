/* SPDX-License-Identifier: MIT */
/* See ranges.h. */
#include "symbolizer/dwarf/ranges.h"

#include "symbolizer/dwarf/constants.h"
#include "symbolizer/dwarf/values.h"
#include "symbolizer/elf/heap.h"

/*
 * Maximum number of ranges of a DIE; compilers produce far fewer. Overlapping
 * ranges, or lists that are used millions of times, would let a file of some
 * megabytes require terabytes.
 */
enum { MOST_RANGES = 1 << 20 };

static void add(struct dwarf_unit *unit, struct dwarf_ranges *ranges,
		uint64_t start, uint64_t end)
{
	uint64_t area_end;

	if (start >= end ||
	    !gather_is_code(unit->file->gather, start, &area_end))
		return;
	ranges->items = heap_reserve(ranges->items, ranges->count + 1,
				     &ranges->capacity, sizeof(*ranges->items));
	ranges->items[ranges->count++] = (struct dwarf_range){
		.start = start,
		.end = end < area_end ? end : area_end,
	};
}

static const struct dwarf_unit *owner_of(const struct dwarf_unit *unit)
{
	return unit->skeleton ? unit->skeleton : unit;
}

/* Reads .debug_ranges of versions 2 to 4, which is always in the main file. */
static void read_pairs(struct dwarf_unit *unit, uint64_t offset,
		       struct dwarf_ranges *out)
{
	const struct dwarf_unit *owner = owner_of(unit);
	size_t bytes = unit->sizes.address;
	uint64_t all_ones =
		bytes == 8 ? UINT64_MAX : (UINT64_C(1) << bytes * 8) - 1;
	uint64_t base = owner->base_pc;
	struct cursor cursor;

	if (unit->skeleton)
		offset += owner->ranges_base;
	cursor = cursor_at(owner->file->ranges, offset);
	while (out->count < MOST_RANGES) {
		uint64_t start = cursor_number(&cursor, bytes);
		uint64_t end = cursor_number(&cursor, bytes);

		if (cursor.is_bad || (start == 0 && end == 0))
			return;
		if (start == all_ones)
			base = end;
		else
			add(unit, out, base + start, base + end);
	}
}

/* Reads one entry of .debug_rnglists. Returns 0 at the end of the list. */
static int read_entry(struct dwarf_unit *unit, struct cursor *cursor,
		      uint64_t *base, struct dwarf_ranges *out)
{
	size_t bytes = unit->sizes.address;
	uint64_t start = 0, end = 0;
	int is_known = 1;

	switch (cursor_u8(cursor)) {
	case DW_RLE_base_addressx:
		return dwarf_indexed_address(unit, cursor_uleb(cursor), base) &&
		       !cursor->is_bad;
	case DW_RLE_base_address:
		*base = cursor_number(cursor, bytes);
		return !cursor->is_bad;
	case DW_RLE_startx_endx:
		is_known = dwarf_indexed_address(unit, cursor_uleb(cursor),
						 &start);
		is_known &=
			dwarf_indexed_address(unit, cursor_uleb(cursor), &end);
		break;
	case DW_RLE_startx_length:
		is_known = dwarf_indexed_address(unit, cursor_uleb(cursor),
						 &start);
		end = start + cursor_uleb(cursor);
		break;
	case DW_RLE_offset_pair:
		start = *base + cursor_uleb(cursor);
		end = *base + cursor_uleb(cursor);
		break;
	case DW_RLE_start_end:
		start = cursor_number(cursor, bytes);
		end = cursor_number(cursor, bytes);
		break;
	case DW_RLE_start_length:
		start = cursor_number(cursor, bytes);
		end = start + cursor_uleb(cursor);
		break;
	default:
		return 0;
	}
	if (cursor->is_bad)
		return 0;
	if (is_known)
		add(unit, out, start, end);
	return 1;
}

static void read_list(struct dwarf_unit *unit, uint64_t offset,
		      struct dwarf_ranges *out)
{
	struct cursor cursor = cursor_at(unit->file->rnglists, offset);
	uint64_t base = owner_of(unit)->base_pc;

	while (out->count < MOST_RANGES &&
	       read_entry(unit, &cursor, &base, out))
		;
}

static void read_indexed_list(struct dwarf_unit *unit, uint64_t index,
			      struct dwarf_ranges *out)
{
	size_t bytes = unit->sizes.offset;
	struct cursor cursor;
	uint64_t offset;

	if (index > unit->file->rnglists.bytes)
		return;
	cursor = cursor_at(unit->file->rnglists,
			   unit->rnglists_base + index * bytes);
	offset = cursor_number(&cursor, bytes);
	if (!cursor.is_bad)
		read_list(unit, unit->rnglists_base + offset, out);
}

void dwarf_ranges(struct dwarf_unit *unit, const struct dwarf_die *die,
		  struct dwarf_ranges *out)
{
	uint64_t start, end;

	out->count = 0;
	if (die->ranges.form == DW_FORM_rnglistx) {
		read_indexed_list(unit, die->ranges.number, out);
	} else if (die->ranges.form) {
		if (unit->sizes.version >= 5)
			read_list(unit, die->ranges.number, out);
		else
			read_pairs(unit, die->ranges.number, out);
	} else if (die->high_pc.form &&
		   dwarf_address(unit, die->low_pc, &start)) {
		if (!dwarf_address(unit, die->high_pc, &end))
			end = start + die->high_pc.number;
		add(unit, out, start, end);
	}
}
