/* SPDX-License-Identifier: MIT */
/* See leaps.h. */
#include "image/leaps.h"

#include <errno.h>

#include "disasm/function_code.h"
#include "disasm/prologue.h"
#include "wire/verdict.h"

int leaps_add(struct leaps *leaps, struct arena *arena, uint64_t vaddr,
	      uint32_t bytes)
{
	struct leap *leap = arena_alloc(arena, sizeof(*leap));

	if (!leap)
		return -ENOMEM;
	*leap = (struct leap){ leaps->first, vaddr, bytes };
	leaps->first = leap;
	leaps->count++;
	return 0;
}

/*
 * Returns whether a function's hook, if it has one, does not cover the code at
 * vaddr.
 */
static int spares(const struct wire_function *function, uint64_t vaddr)
{
	uint64_t taken = wire_displaced_bytes(function);

	if (!verdict_is_written(function->verdict))
		return 1;
	if (taken < PATCH_BYTES)
		taken = PATCH_BYTES;
	return vaddr - function->vaddr >= function->patch_offset + taken;
}

/*
 * Maximum size of a hook: an endbr64, the function's jump, and the jump of
 * another function behind it.
 */
#define HOOK_MAX_BYTES (FUNCTION_MARK_BYTES + 2 * PATCH_BYTES)

/*
 * Returns whether a jump can be written: no branch leads into it, and it
 * overlaps no hook, neither of its own function nor of the next.
 */
static int is_open(const struct leap *leap, const struct marks *targets,
		   const struct wire_function *list, uint32_t count)
{
	const uint32_t inner = ((UINT32_C(1) << PATCH_BYTES) - 1) & ~1U;
	const uint32_t place = wire_functions_until(list, count, leap->vaddr);

	if (marks_from(targets, leap->vaddr) & inner)
		return 0;
	if (place < count && list[place].vaddr - leap->vaddr < leap->bytes)
		return 0;
	for (uint32_t i = place; i-- > 0;) {
		if (leap->vaddr - list[i].vaddr > HOOK_MAX_BYTES)
			break;
		if (leap->vaddr == list[i].vaddr ||
		    !spares(&list[i], leap->vaddr))
			return 0;
	}
	return 1;
}

/*
 * Removes the leaps that cannot be overwritten or overlap others, and those
 * that are out of order. Leaps were found in order of vaddr, except in code
 * outside all sections.
 */
static void keep_open(struct leaps *leaps, const struct marks *targets,
		      const struct wire_function *list, uint32_t count)
{
	struct leap **at = &leaps->first;
	uint64_t before = UINT64_MAX;

	while (*at) {
		if ((*at)->vaddr + (*at)->bytes <= before &&
		    is_open(*at, targets, list, count)) {
			before = (*at)->vaddr;
			at = &(*at)->next;
		} else {
			*at = (*at)->next;
			leaps->count--;
		}
	}
}

uint32_t leaps_merge(struct leaps *leaps, const struct marks *targets,
		     struct wire_function *list, uint32_t count)
{
	const struct leap *leap;
	uint32_t total, out;

	keep_open(leaps, targets, list, count);
	leap = leaps->first;
	out = total = count + leaps->count;
	while (leap) {
		if (count && list[count - 1].vaddr > leap->vaddr) {
			list[--out] = list[--count];
			continue;
		}
		list[--out] = (struct wire_function){
			.vaddr = leap->vaddr,
			.size_bytes = leap->bytes,
			.verdict = VERDICT_IS_LEAP,
			.displaced = (uint8_t)leap->bytes,
		};
		leap = leap->next;
	}
	return total;
}
