/* SPDX-License-Identifier: MIT */
/* See gather.h. */
#include "symbolizer/elf/gather.h"

#include <stdlib.h>

#include "symbolizer/elf/heap.h"

#define FARTHEST UINT64_C(0xfffffff0)

static int by_start(const void *left, const void *right)
{
	const struct gather_area *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void add_area(struct gather *gather, uint64_t start, uint64_t bytes)
{
	if (bytes == 0 || start + bytes < start)
		return;
	gather->code[gather->code_count++] =
		(struct gather_area){ start, start + bytes };
}

/*
 * Lists the executable sections or, in a file without sections, the executable
 * segments.
 */
static void add_areas(struct gather *gather, const struct elf *elf)
{
	const uint64_t wanted = SHF_ALLOC | SHF_EXECINSTR;

	gather->code = heap_zeroed(elf->section_count + elf->segment_count,
				   sizeof(*gather->code));
	for (size_t i = 0; i < elf->section_count; i++) {
		const Elf64_Shdr *header = &elf->sections[i].header;

		if ((header->sh_flags & wanted) == wanted)
			add_area(gather, header->sh_addr, header->sh_size);
	}
	for (size_t i = 0; gather->code_count == 0 && i < elf->segment_count;
	     i++) {
		const Elf64_Phdr *header = &elf->segments[i];

		if (header->p_type == PT_LOAD && (header->p_flags & PF_X))
			add_area(gather, header->p_vaddr, header->p_memsz);
	}
}

/*
 * Sorts the areas, makes them disjoint, and drops code that is more than 4 GiB
 * above the first area.
 */
static void settle_areas(struct gather *gather)
{
	size_t kept = 0;

	qsort(gather->code, gather->code_count, sizeof(*gather->code),
	      by_start);
	gather->base = gather->code[0].start;
	for (size_t i = 0; i < gather->code_count; i++) {
		struct gather_area area = gather->code[i];

		if (area.start < gather->limit)
			area.start = gather->limit;
		if (area.end - gather->base > FARTHEST) {
			gather->is_cut = 1;
			area.end = gather->base + FARTHEST;
		}
		if (area.start >= area.end)
			continue;
		gather->code[kept++] = area;
		gather->limit = area.end;
	}
	gather->code_count = kept;
}

void gather_init(struct gather *gather, const struct elf *elf)
{
	*gather = (struct gather){ 0 };
	texts_init(&gather->texts);
	gather->nodes = heap_reserve(NULL, 1, &gather->node_capacity, 1);
	gather->nodes[gather->node_bytes++] = 0; /* position 0 means none */
	add_areas(gather, elf);
	if (gather->code_count > 0)
		settle_areas(gather);
}

int gather_is_code(const struct gather *gather, uint64_t vaddr, uint64_t *end)
{
	for (size_t i = gather->code_count; i-- > 0;) {
		if (vaddr >= gather->code[i].start) {
			*end = gather->code[i].end;
			return vaddr < *end;
		}
	}
	return 0;
}

void gather_add_run(struct gather_runs *runs, uint32_t start, size_t first,
		    size_t count)
{
	runs->items = heap_reserve(runs->items, runs->count + 1,
				   &runs->capacity, sizeof(*runs->items));
	runs->items[runs->count++] = (struct gather_run){
		.start = start,
		.first = (uint32_t)first,
		.count = (uint32_t)count,
	};
}
