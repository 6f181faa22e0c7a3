/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is an ELF file. The fuzzer reads all parts that an
 * analysis reads: symbols, unwind information with its landing pads, code,
 * relocations. Hooked functions must lie inside the module.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/branches.h"
#include "image/dynamic.h"
#include "image/functions.h"
#include "image/tiers.h"
#include "image/traits.h"
#include "wire/verdict.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require_sound(const struct wire_function *list, uint32_t count,
			  const struct marks *code)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t site = list[i].vaddr + list[i].patch_offset;

		if (verdict_class(list[i].verdict) != VERDICT_HOOKED)
			continue;
		if (!marks_cover(code, site) ||
		    wire_displaced_bytes(&list[i]) == 0)
			abort();
		if (list[i].verdict == VERDICT_IS_JUMP_SHORT &&
		    !marks_cover(code,
				 site + 2 + (uint64_t)(int64_t)list[i].island))
			abort();
	}
}

static void choose(struct tiers *tiers, struct arena *arena)
{
	uint32_t count = tiers->functions->count;
	struct wire_function *list = arena_alloc(arena, count * sizeof(*list));

	if (!list)
		return;
	for (uint32_t i = 0; i < count; i++) {
		list[i].vaddr = tiers->functions->list[i].vaddr;
		list[i].size_bytes = (uint32_t)tiers->functions->list[i].size;
		list[i].verdict = tiers->functions->list[i].verdict;
	}
	if (tiers_choose(tiers, arena, list) == 0)
		require_sound(list, count, &tiers->branches->targets);
}

static void find(const struct image *image)
{
	struct arena arena = { 0 };
	struct functions functions;
	struct branches branches;
	struct decoder decoder;
	struct tiers tiers = {
		.image = image,
		.decoder = &decoder,
		.functions = &functions,
		.branches = &branches,
		.has_traps = !dynamic_is_libc(image),
	};

	traits_of(image);
	if (functions_find(image, &arena, &functions) == 0 &&
	    decoder_open(&decoder, arena_memory, &arena) == 0 &&
	    branches_find(image, &decoder, &functions, &arena, &branches) == 0)
		choose(&tiers, &arena);
	arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/*
	 * malloc() gives the aligned start that image_init() needs, and bounds.
	 */
	uint8_t *bytes = malloc(size ? size : 1);
	struct image image;

	memcpy(bytes, data, size);
	if (image_init(&image, bytes, size) == 0)
		find(&image);
	free(bytes);
	return 0;
}
