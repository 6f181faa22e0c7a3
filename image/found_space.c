/* SPDX-License-Identifier: MIT */
/* Data for each byte of code without functions. See found_search.h. */
#include "image/found_search.h"

#include "disasm/function_code.h"
#include "wire/verdict.h"

/* Maximum size of the code that is followed. */
#define MAX_BYTES (UINT64_C(8) << 20)

void *found_pile_add(struct found_search *s, struct pile *pile, size_t bytes)
{
	if (pile->count == pile->room) {
		size_t room = pile->room ? 2 * pile->room : 64;
		unsigned char *items = arena_alloc(s->arena, room * bytes);

		if (!items) {
			s->err = -ENOMEM;
			return NULL;
		}
		if (pile->count)
			memcpy(items, pile->items, pile->count * bytes);
		pile->items = items;
		pile->room = room;
	}
	return pile->items + pile->count++ * bytes;
}

struct region *found_region_at(const struct found_search *s, uint64_t vaddr)
{
	struct region *regions = (struct region *)s->regions.items;
	size_t low = 0, high = s->regions.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (regions[middle].end <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->regions.count && regions[low].vaddr <= vaddr
		       ? &regions[low]
		       : NULL;
}

struct found_place *found_place_at(const struct found_search *s, uint64_t vaddr)
{
	struct region *region = found_region_at(s, vaddr);

	return region ? &region->places[vaddr - region->vaddr] : NULL;
}

struct one *found_one_of(const struct found_search *s, uint32_t number)
{
	return (struct one *)s->found.items + (number - 1);
}

/* See found_search.h. Does not examine the function. */
void found_add_function(struct found_search *s, uint64_t vaddr)
{
	struct found_place *place = found_place_at(s, vaddr);
	struct one *one;

	if (!place || place->is_start)
		return;
	one = found_pile_add(s, &s->found, sizeof(*one));
	if (!one)
		return;
	*one = (struct one){ .vaddr = vaddr };
	place->is_start = 1;
}

int found_is_padding(const struct found_search *s, const uint8_t *code,
		     uint64_t left, struct insn *insn)
{
	if (*code == 0x00) {
		*insn = (struct insn){ .kind = INSN_NOP, .length = 1 };
		return 1;
	}
	return decode_scan(s->decoder, code, left, insn) == 0 &&
	       (insn->kind == INSN_NOP || insn->kind == INSN_TRAP);
}

/* Marks where flow ends and something else may begin. */
static void mark_boundaries(struct found_search *s, struct region *region)
{
	uint64_t at = region->vaddr;
	int is_behind_end = 1;
	struct insn insn;

	while (at < region->end) {
		const uint8_t *code = region->code + (at - region->vaddr);

		if (is_behind_end &&
		    found_is_padding(s, code, region->end - at, &insn)) {
			at += insn.length;
			continue;
		}
		region->places[at - region->vaddr].is_boundary =
			(uint8_t)is_behind_end;
		if (decode_scan(s->decoder, code, region->end - at, &insn))
			insn = (struct insn){ .kind = INSN_PLAIN, .length = 1 };
		is_behind_end = insn_ends_flow(&insn);
		at += insn.length;
	}
}

/*
 * Adds the regions. A stretch that begins less than 64 bytes behind a region
 * extends it, unless a known function lies in between: usually only padding
 * separates them.
 */
static void add_regions(struct found_search *s, const struct bare *bare)
{
	const struct functions *known = s->known;
	uint32_t next = 0;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < bare->count && !s->err; i++) {
		const uint64_t vaddr = bare->list[i].vaddr;
		const uint64_t end = vaddr + bare->list[i].size_bytes;
		struct region *last = (struct region *)s->regions.items;
		uint64_t left;

		while (next < known->count && known->list[next].vaddr < vaddr)
			next++;
		if (i > 0)
			last += s->regions.count - 1;
		if (i > 0 && vaddr - last->end < FUNCTION_ALIGNMENT * 4 &&
		    (next == 0 || known->list[next - 1].vaddr < last->vaddr)) {
			bytes += end - last->end;
			last->end = end;
		} else {
			last = found_pile_add(s, &s->regions, sizeof(*last));
			if (!last)
				return;
			*last = (struct region){ .vaddr = vaddr, .end = end };
			last->code = image_at(s->image, vaddr, &left);
			bytes += end - vaddr;
		}
		if (bytes > MAX_BYTES) {
			s->regions.count = 0;
			return;
		}
	}
}

void found_open(struct found_search *s, const struct bare *bare)
{
	add_regions(s, bare);
	for (size_t i = 0; i < s->regions.count; i++) {
		struct region *region = (struct region *)s->regions.items + i;

		region->places = arena_alloc(
			s->arena, (region->end - region->vaddr) *
					  sizeof(struct found_place));
		if (!region->places) {
			s->err = -ENOMEM;
			return;
		}
		mark_boundaries(s, region);
	}
}
