/* SPDX-License-Identifier: MIT */
/* See islands.h. */
#include "image/islands.h"

#include "disasm/padding.h"
#include "disasm/prologue.h"

struct island_gap {
	uint64_t vaddr;
	uint64_t end;
};

/*
 * The reach of a rel8 in bytes. Functions that end farther away are not
 * considered.
 */
#define MAX_GAP_BYTES 128

/*
 * Returns the length of filler at vaddr, a whole nop or int3 that no branch
 * enters, or 0.
 */
static unsigned int filler_bytes(const struct islands *islands, uint64_t vaddr)
{
	struct bytes b = image_bytes_at(islands->image, vaddr);
	struct insn insn;

	if (decode_scan(islands->decoder, b.at, bytes_left(&b), &insn) ||
	    (insn.kind != INSN_NOP && insn.kind != INSN_TRAP) ||
	    (marks_from(&islands->branches->targets, vaddr) &
	     ((UINT32_C(1) << insn.length) - 1)))
		return 0;
	return insn.length;
}

/* Returns whether function `index` continues into the code at `vaddr`. */
static int falls_into(const struct islands *islands, uint32_t index,
		      uint64_t vaddr)
{
	struct bytes b = image_bytes_at(islands->image, vaddr);

	return islands->branches->notes[index].falls_out &&
	       !padding_stops(bytes_u8(&b));
}

/*
 * Limits the gap after function `index` to the filler at its start. Zeros are
 * no filler, because they may be data. If the filler ends before the gap,
 * unknown code follows, which may begin in the filler with an alignment.
 */
static void trim_gap(const struct islands *islands, uint32_t index,
		     struct island_gap *gap)
{
	uint64_t at = gap->vaddr;

	if (falls_into(islands, index, gap->vaddr)) {
		gap->end = gap->vaddr;
		return;
	}
	while (at < gap->end) {
		unsigned int bytes = filler_bytes(islands, at);

		if (bytes == 0) {
			gap->end = at / 16 * 16;
			break;
		}
		at += bytes;
	}
}

/*
 * Returns the gap between function `index` and the next one outside it, or the
 * end of the segment. Empty if the function's size is unknown, or if a function
 * that starts inside it extends beyond its end.
 */
static struct island_gap gap_behind(const struct islands *islands,
				    uint32_t index)
{
	const struct functions *functions = islands->functions;
	const struct function *function = &functions->list[index];
	uint64_t left = 0;
	struct island_gap gap = { function->vaddr + function->size, 0 };

	image_at(islands->image, gap.vaddr, &left);
	if (left > MAX_GAP_BYTES)
		left = MAX_GAP_BYTES;
	gap.end = gap.vaddr + left;
	for (index++; index < functions->count; index++) {
		const struct function *inner = &functions->list[index];

		if (!inner->is_inside)
			break;
		if (inner->vaddr + inner->size > gap.vaddr)
			gap.end = gap.vaddr;
	}
	if (index < functions->count && functions->list[index].vaddr < gap.end)
		gap.end = functions->list[index].vaddr;
	if (gap.end < gap.vaddr || function->size == 0)
		gap.end = gap.vaddr;
	return gap;
}

/*
 * Returns whether a 5-byte jump at vaddr would overlap the short jump, which
 * may itself be partly in padding.
 */
static int is_of_site(uint64_t vaddr, uint64_t site_vaddr)
{
	return vaddr + PATCH_BYTES > site_vaddr &&
	       vaddr < site_vaddr + PATCH_SHORT_BYTES;
}

static int8_t find_in_gap(const struct islands *islands, uint32_t index,
			  uint64_t site_vaddr)
{
	struct island_gap gap = gap_behind(islands, index);

	if (gap.end - gap.vaddr < PATCH_BYTES)
		return 0;
	trim_gap(islands, index, &gap);
	for (uint64_t at = gap.vaddr; at + PATCH_BYTES <= gap.end; at++) {
		int64_t rel = (int64_t)(at - site_vaddr - PATCH_SHORT_BYTES);

		if (rel == (int8_t)rel && !is_of_site(at, site_vaddr) &&
		    !(marks_from(islands->taken, at) & 0x1f))
			return (int8_t)rel;
	}
	return 0;
}

int8_t islands_find(const struct islands *islands, uint32_t index,
		    uint64_t site_vaddr)
{
	const struct function *list = islands->functions->list;
	int8_t rel = 0;

	for (uint32_t i = index + 1; i-- > 0 && !rel;) {
		if (list[i].is_inside)
			continue;
		if (list[i].vaddr + list[i].size + 2 * MAX_GAP_BYTES <
		    site_vaddr)
			break;
		rel = find_in_gap(islands, i, site_vaddr);
	}
	for (uint32_t i = index + 1; i < islands->functions->count && !rel;
	     i++) {
		if (list[i].is_inside)
			continue;
		if (list[i].vaddr > site_vaddr + MAX_GAP_BYTES)
			break;
		rel = find_in_gap(islands, i, site_vaddr);
	}
	return rel;
}
