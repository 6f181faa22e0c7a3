/* SPDX-License-Identifier: MIT */
/* See jump_arrows.h. */
#include "report/code/jump_arrows.h"

#include <stdlib.h>

#include "base/memory.h"

/* A jump, or all jumps to one destination. The members are numbers of rows. */
struct connection {
	/* row of the jump, until the jumps to one destination are united */
	uint32_t from;
	uint32_t to;
	uint32_t first, last;
};

struct drawing {
	const struct instructions *code;
	struct connection *items;
	size_t count, capacity;
	struct jump_arrows *arrows;
	uint8_t *is_jump; /* by row: whether its jump ends at a drawn line */
};

/* Returns the row of the instruction at a vaddr, or the number of rows. */
static size_t row_at(const struct instructions *code, uint64_t vaddr)
{
	size_t low = 0, high = code->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (code->items[middle].vaddr < vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < code->count && code->items[low].vaddr == vaddr
		       ? low
		       : code->count;
}

static void find_jumps(struct drawing *drawing)
{
	const struct instructions *code = drawing->code;

	for (size_t i = 0; i < code->count; i++) {
		size_t to, first, last;

		if (code->items[i].kind != INSTRUCTION_JUMP)
			continue;
		to = row_at(code, code->items[i].target);
		first = i < to ? i : to;
		last = i < to ? to : i;
		if (to == code->count || last - first > ARROW_ROWS_MAX)
			continue;
		drawing->items = memory_grow(drawing->items, drawing->count,
					     &drawing->capacity,
					     sizeof(*drawing->items));
		drawing->items[drawing->count++] =
			(struct connection){ (uint32_t)i, (uint32_t)to,
					     (uint32_t)first, (uint32_t)last };
		drawing->is_jump[i] = 1;
	}
}

static int is_to_before(const void *a, const void *b)
{
	const struct connection *one = a, *other = b;

	return (one->to > other->to) - (one->to < other->to);
}

static void unite(struct drawing *drawing)
{
	struct connection *items = drawing->items;
	size_t kept = 0;

	if (drawing->count == 0)
		return;
	qsort(items, drawing->count, sizeof(*items), is_to_before);
	for (size_t i = 1; i < drawing->count; i++) {
		if (items[i].to != items[kept].to) {
			items[++kept] = items[i];
			continue;
		}
		if (items[i].first < items[kept].first)
			items[kept].first = items[i].first;
		if (items[i].last > items[kept].last)
			items[kept].last = items[i].last;
	}
	drawing->count = kept + 1;
}

static int is_shorter(const void *a, const void *b)
{
	const struct connection *one = a, *other = b;
	const uint32_t length = one->last - one->first;
	const uint32_t others = other->last - other->first;

	if (length != others)
		return (length > others) - (length < others);
	return (one->to > other->to) - (one->to < other->to);
}

/* Returns the innermost lane that is free in all rows, or ARROW_LANES. */
static unsigned int free_lane(const struct jump_arrows *arrows,
			      const struct connection *one)
{
	unsigned int used = 0, lane = 0;

	for (uint32_t i = one->first; i <= one->last; i++)
		for (unsigned int j = 0; j < ARROW_LANES; j++)
			if (arrows->rows[i].cells[j] != CELL_EMPTY)
				used |= 1u << j;
	while (lane < ARROW_LANES && used & 1u << lane)
		lane++;
	return lane;
}

/* Returns whether the row is the connection's destination or jumps to it. */
static int joins(const struct drawing *drawing, const struct connection *one,
		 uint32_t row)
{
	return row == one->to || (drawing->is_jump[row] &&
				  drawing->code->items[row].target ==
					  drawing->code->items[one->to].vaddr);
}

static void draw(struct drawing *drawing, const struct connection *one)
{
	struct jump_arrows *arrows = drawing->arrows;
	const unsigned int lane = free_lane(arrows, one);

	if (lane == ARROW_LANES)
		return;
	if (lane >= arrows->lanes)
		arrows->lanes = lane + 1;
	for (uint32_t i = one->first; i <= one->last; i++)
		arrows->rows[i].cells[lane] = !joins(drawing, one, i)
						      ? CELL_LINE
					      : i == one->first ? CELL_TOP
					      : i == one->last  ? CELL_BOTTOM
								: CELL_MIDDLE;
	arrows->rows[one->to].is_destination = 1;
}

/* Draws the dashes from the outermost end of a line to the instruction. */
static void draw_dashes(struct arrow_row *row)
{
	unsigned int lane = ARROW_LANES;

	while (lane > 0 && (row->cells[lane - 1] == CELL_EMPTY ||
			    row->cells[lane - 1] == CELL_LINE))
		lane--;
	while (lane-- > 1) {
		uint8_t *cell = &row->cells[lane - 1];

		if (*cell == CELL_EMPTY)
			*cell = CELL_DASH;
		else if (*cell == CELL_LINE)
			*cell = CELL_CROSS;
	}
}

void jump_arrows_init(struct jump_arrows *arrows,
		      const struct instructions *instructions)
{
	struct drawing drawing = { .code = instructions, .arrows = arrows };

	*arrows = (struct jump_arrows){
		.rows = memory_zeroed(instructions->count + 1,
				      sizeof(*arrows->rows)),
	};
	drawing.is_jump = memory_zeroed(instructions->count + 1, 1);
	find_jumps(&drawing);
	unite(&drawing);
	if (drawing.count > 0)
		qsort(drawing.items, drawing.count, sizeof(*drawing.items),
		      is_shorter);
	for (size_t i = 0; i < drawing.count; i++)
		draw(&drawing, &drawing.items[i]);
	for (size_t i = 0; i < instructions->count; i++)
		draw_dashes(&arrows->rows[i]);
	free(drawing.items);
	free(drawing.is_jump);
}

void jump_arrows_fini(struct jump_arrows *arrows)
{
	free(arrows->rows);
}
