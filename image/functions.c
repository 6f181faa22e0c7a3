/* SPDX-License-Identifier: MIT */
/*
 * See functions.h. FDEs and symbols are added to one list, which is sorted;
 * entries with the same start are merged. The list is then read once to find
 * overlaps.
 */
#include "image/functions.h"

#include <errno.h>

#include "image/eh_frame.h"
#include "image/plt.h"
#include "image/symbol_names.h"
#include "image/symbols.h"
#include "wire/verdict.h"

#define MIN_ROOM   1024
#define MAX_NESTED 64 /* maximum number of functions inside one function */

struct gathering {
	const struct image *image;
	struct arena *arena;
	struct function *list;
	uint32_t count;
	uint32_t room;
};

static int grow(struct gathering *g)
{
	uint32_t room = g->room ? 2 * g->room : MIN_ROOM;
	struct function *list;

	if (room < g->room)
		return -ENOMEM;
	list = arena_alloc(g->arena, (size_t)room * sizeof(*list));
	if (!list)
		return -ENOMEM;
	if (g->count)
		memcpy(list, g->list, g->count * sizeof(*list));
	g->list = list;
	g->room = room;
	return 0;
}

/*
 * Returns whether [vaddr, vaddr + size) is code of the file. Segments of a
 * damaged file may overlap: image_at() then finds fewer bytes.
 */
static int is_code(const struct image *image, uint64_t vaddr, uint64_t size)
{
	uint64_t left;

	for (uint16_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = image->segments + i;
		uint64_t skip = vaddr - segment->p_vaddr;

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) &&
		    vaddr >= segment->p_vaddr && skip < segment->p_filesz &&
		    size <= segment->p_filesz - skip)
			return size <= UINT32_MAX &&
			       image_at(image, vaddr, &left) != NULL &&
			       size <= left;
	}
	return 0;
}

static int add(struct gathering *g, const struct function *function)
{
	int err = 0;

	if (!is_code(g->image, function->vaddr, function->size))
		/* such as a symbol of a section that the linker discarded */
		return 0;
	if (g->count == g->room)
		err = grow(g);
	if (!err)
		g->list[g->count++] = *function;
	return err;
}

static enum verdict verdict_of_fde(const struct fde *fde)
{
	if (fde->is_signal_frame)
		return VERDICT_IS_SIGNAL_FRAME;
	if (fde->entry == CFI_NO_RETURN_ADDRESS)
		return VERDICT_IS_NO_RETURN_ADDRESS;
	if (fde->entry == CFI_MIDWAY)
		return VERDICT_IS_COLD_PART;
	return VERDICT_IS_UNKNOWN;
}

static int add_fde(void *context, const struct fde *fde)
{
	struct function function = {
		.vaddr = fde->vaddr,
		.size = fde->size,
		.verdict = (uint8_t)verdict_of_fde(fde),
		.fde_vaddr = fde->record_vaddr,
		.has_fde = 1,
		.has_lsda = fde->lsda_vaddr != 0,
	};

	return fde->size ? add(context, &function) : 0;
}

static int add_symbol(void *context, const struct symbol *symbol)
{
	struct function function = {
		.vaddr = symbol->vaddr,
		.size = symbol->size,
		.is_named = 1,
		.is_exported = symbol->is_exported,
	};

	if (!symbol->is_function || !symbol->is_defined)
		return 0;
	if (name_is_cold_part(symbol->name))
		function.verdict = VERDICT_IS_COLD_PART;
	else if (name_is_never_hooked(symbol->name))
		function.verdict = VERDICT_IS_NAMED;
	return add(context, &function);
}

/*
 * Orders by start; with the same start an FDE comes first, then the longer one.
 */
static int is_before(const struct function *a, const struct function *b)
{
	if (a->vaddr != b->vaddr)
		return a->vaddr < b->vaddr;
	if (a->has_fde != b->has_fde)
		return a->has_fde;
	return a->size > b->size;
}

static void sift_down(struct function *heap, uint32_t at, uint32_t count)
{
	struct function moving = heap[at];

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= count || child < at)
			break;
		if (child + 1 < count &&
		    is_before(&heap[child], &heap[child + 1]))
			child++;
		if (!is_before(&moving, &heap[child]))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moving;
}

/* Sorts by heapsort, because qsort() may call malloc(). */
static void sort(struct function *list, uint32_t count)
{
	for (uint32_t i = count / 2; i-- > 0;)
		sift_down(list, i, count);
	for (uint32_t end = count; end-- > 1;) {
		struct function last = list[0];

		list[0] = list[end];
		list[end] = last;
		sift_down(list, 0, end);
	}
}

/*
 * Merges names and an FDE with the same start. Each of them may have a verdict
 * that refuses the function.
 */
static uint32_t merge(struct function *list, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct function *last = kept ? &list[kept - 1] : NULL;

		if (!last || last->vaddr != list[i].vaddr) {
			list[kept++] = list[i];
			continue;
		}
		last->is_named |= list[i].is_named;
		last->is_exported |= list[i].is_exported;
		if (last->verdict == VERDICT_IS_UNKNOWN)
			last->verdict = list[i].verdict;
	}
	return kept;
}

/*
 * Returns the end of the code section that contains vaddr; vaddr itself if
 * there is none.
 */
static uint64_t end_of_section(const struct image *image, uint64_t vaddr)
{
	for (uint16_t i = 0; i < image->section_count; i++) {
		const Elf64_Shdr *s = image->sections + i;

		if (s->sh_type == SHT_PROGBITS &&
		    (s->sh_flags & SHF_EXECINSTR) && vaddr >= s->sh_addr &&
		    vaddr - s->sh_addr < s->sh_size &&
		    is_code(image, s->sh_addr, s->sh_size))
			return s->sh_addr + s->sh_size;
	}
	return vaddr;
}

/*
 * Sets is_unsized of functions without a size, except functions inside another
 * one, and the size of those that are exported.
 */
static void size_the_unsized(const struct image *image,
			     const struct functions *functions)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < functions->count; i++) {
		struct function *function = &functions->list[i];
		uint64_t limit;

		if (function->size == 0 && function->vaddr >= end) {
			limit = end_of_section(image, function->vaddr);
			if (i + 1 < functions->count &&
			    function[1].vaddr < limit)
				limit = function[1].vaddr;
			function->is_unsized = 1;
			if (function->is_exported)
				function->size = limit - function->vaddr;
		}
		if (function->vaddr + function->size > end)
			end = function->vaddr + function->size;
	}
}

/* Marks functions that start inside an earlier one. */
static void mark_overlaps(const struct functions *functions)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < functions->count; i++) {
		struct function *function = &functions->list[i];

		if (function->vaddr < end) {
			function->is_inside = 1;
			if (function->verdict == VERDICT_IS_UNKNOWN)
				function->verdict = VERDICT_IS_OVERLAPS;
		}
		if (function->vaddr + function->size > end)
			end = function->vaddr + function->size;
	}
}

int functions_find(const struct image *image, struct arena *arena,
		   struct functions *out)
{
	struct gathering g = { .image = image, .arena = arena };
	struct functions found;
	int err = eh_frame_walk(image, add_fde, &g);

	if (!err)
		err = symbols_walk(image, add_symbol, &g);
	if (err)
		return err;
	sort(g.list, g.count);
	found = (struct functions){ g.list, merge(g.list, g.count) };
	size_the_unsized(image, &found);
	plt_mark(image, &found);
	mark_overlaps(&found);
	*out = found;
	return 0;
}

/* Returns how many functions start at or before vaddr. */
static uint32_t count_up_to(const struct functions *functions, uint64_t vaddr)
{
	uint32_t low = 0;
	uint32_t high = functions->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (functions->list[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t functions_at(const struct functions *functions, uint64_t vaddr)
{
	uint32_t index = count_up_to(functions, vaddr);

	/* Skips functions inside another one. */
	for (int steps = 0; index-- > 0 && steps < MAX_NESTED; steps++) {
		const struct function *function = &functions->list[index];
		uint64_t offset = vaddr - function->vaddr;

		if (offset == 0 ||
		    (!function->is_inside && offset < function->size))
			return index;
		if (!function->is_inside)
			break;
	}
	return UINT32_MAX;
}
