/* SPDX-License-Identifier: MIT */
/*
 * See found.h. First finds the targets of calls and pointers; then, when more
 * functions are known, the rest that depends on them: switches, code after
 * calls that may not return, and functions that are entered only by jumps.
 */
#include "image/found.h"

#include "disasm/function_code.h"
#include "image/found_search.h"
#include "image/idioms.h"
#include "image/pointers.h"
#include "wire/verdict.h"

/* Each round finds the functions to which the preceding round has led. */
#define ROUNDS_MAX 64

static void examine_new(struct found_search *s, uint32_t *done)
{
	while (*done < s->found.count && !s->err)
		found_examine(s, ++*done);
}

/*
 * Removes the function s->current, which has failed the test, and those that
 * were added after it.
 */
static void forget_last(struct found_search *s)
{
	struct found_place **log = (struct found_place **)s->log.items;

	for (size_t i = 0; i < s->log.count; i++)
		*log[i] = (struct found_place){
			.is_start = log[i]->is_start,
			.is_boundary = log[i]->is_boundary,
			.is_pointed = log[i]->is_pointed,
			.is_relocated = log[i]->is_relocated,
			.is_midway = log[i]->is_midway,
			.is_label = log[i]->is_label,
		};
	found_place_at(s, found_one_of(s, s->current)->vaddr)->is_start = 0;
	s->found.count = s->current - 1;
}

/*
 * Pointers may lead to data in code, which must not be overwritten. A candidate
 * must therefore look like the start of a function, after the end of other
 * code. Data in code is used through addresses that code takes; pointers in
 * data lead to code.
 */
static int may_be_start(const struct region *region, uint64_t vaddr)
{
	const struct found_place *place =
		&region->places[vaddr - region->vaddr];
	const uint8_t *code = region->code + (vaddr - region->vaddr);
	const uint64_t left = region->end - vaddr;
	const int is_aligned = vaddr % FUNCTION_ALIGNMENT == 0;

	return (place->is_pointed && idioms_is_start(code, left)) ||
	       (place->is_relocated && is_aligned) ||
	       (is_aligned && idioms_is_target(code, left));
}

/*
 * Tries a start that is no target of a direct call. If the start does not pass
 * the test, the function is forgotten, and all functions that were found
 * through it.
 */
static void try_start(struct found_search *s, uint64_t vaddr, uint32_t *done)
{
	const size_t before = s->found.count;
	const size_t held = s->returns.count, jumps = s->jumps.count;

	found_add_function(s, vaddr);
	if (s->found.count == before)
		return;
	found_examine(s, (uint32_t)before + 1);
	if (found_one_of(s, (uint32_t)before + 1)->verdict ==
	    VERDICT_IS_UNKNOWN) {
		*done = (uint32_t)before + 1;
		examine_new(s, done);
		return;
	}
	for (size_t i = before + 1; i < s->found.count; i++)
		found_place_at(s, found_one_of(s, (uint32_t)i + 1)->vaddr)
			->is_start = 0;
	s->returns.count = held;
	s->jumps.count = jumps;
	forget_last(s);
}

static void try_starts(struct found_search *s, uint32_t *done)
{
	for (size_t i = 0; i < s->regions.count; i++) {
		struct region *region = (struct region *)s->regions.items + i;

		for (uint64_t at = region->vaddr; at < region->end; at++) {
			const struct found_place *place =
				&region->places[at - region->vaddr];

			if (place->is_boundary && !place->is_label &&
			    place->owner == FOUND_NOBODY && !place->is_start &&
			    may_be_start(region, at))
				try_start(s, at, done);
		}
	}
}

/*
 * Follows the code up to the next function that is not followed yet, because a
 * switch of this function may lead there.
 */
static void fill_switch(struct found_search *s, uint32_t number)
{
	const struct one *one = found_one_of(s, number);
	const struct region *region = found_region_at(s, one->vaddr);
	const struct stack stack = one->at_switch;

	if (!one->has_switch || !one->has_table ||
	    one->verdict != VERDICT_IS_UNKNOWN)
		return;
	s->current = number;
	for (uint64_t at = one->vaddr + 1; at < region->end; at++) {
		const struct found_place *place =
			&region->places[at - region->vaddr];

		if (place->is_start)
			break;
		if (place->owner != FOUND_NOBODY ||
		    !(place->is_boundary || place->is_label))
			continue;
		found_push_step(s, at, stack);
		found_follow_all(s);
	}
}

static void fill_switches(struct found_search *s, uint32_t *done)
{
	for (uint32_t i = 1; i <= s->found.count && !s->err; i++) {
		fill_switch(s, i);
		examine_new(s, done);
	}
}

static int is_start_between(const struct found_search *s, uint64_t from,
			    uint64_t to)
{
	const struct region *region = found_region_at(s, from);

	if (to < from || to >= region->end)
		return 1;
	for (uint64_t at = from + 1; at < to; at++)
		if (region->places[at - region->vaddr].is_start)
			return 1;
	return 0;
}

/*
 * Splits off functions that are entered only by jumps: a part of a function
 * never lies behind another function.
 */
static int split_tail_calls(struct found_search *s)
{
	const size_t before = s->found.count;

	for (size_t i = 0; i < s->jumps.count && !s->err; i++) {
		const struct jump *jump = (struct jump *)s->jumps.items + i;
		const struct found_place *place = found_place_at(s, jump->to);

		if (jump->from <= before && place->is_boundary &&
		    !place->is_start && !place->is_label &&
		    is_start_between(s, found_one_of(s, jump->from)->vaddr,
				     jump->to))
			found_add_function(s, jump->to);
	}
	return s->found.count > before;
}

/*
 * Returns whether some rel32 or disp32 may lead into a region. Most words of
 * code do not.
 */
static int may_lead_there(const struct found_search *s, uint64_t vaddr,
			  const uint8_t *code, uint64_t bytes)
{
	const struct region *regions = (const struct region *)s->regions.items;
	const uint64_t start = regions[0].vaddr;
	const uint64_t span = regions[s->regions.count - 1].end - start;

	for (uint64_t i = 1; i + 4 <= bytes; i++) {
		int32_t value;
		uint64_t relative, absolute;

		memcpy(&value, code + i, sizeof(value));
		absolute = (uint64_t)(int64_t)value;
		relative = vaddr + i + 4 + absolute;
		if ((relative - start < span && found_region_at(s, relative)) ||
		    (absolute - start < span && found_region_at(s, absolute)))
			return 1;
	}
	return 0;
}

/* Reads the calls of known functions, and the addresses that they take. */
static void read_known(struct found_search *s)
{
	for (uint32_t i = 0; i < s->known->count && !s->err; i++) {
		const struct function *function = &s->known->list[i];
		uint64_t left = 0, at = 0;
		const uint8_t *code =
			image_at(s->image, function->vaddr, &left);
		struct insn insn;

		if (!code || function->is_inside ||
		    function->verdict == VERDICT_IS_PLT)
			continue;
		if (left > function->size)
			left = function->size;
		if (!may_lead_there(s, function->vaddr, code, left))
			continue;
		for (; at < left; at += insn.length) {
			if (decode_scan(s->decoder, code + at, left - at,
					&insn)) {
				insn.length = 1;
				continue;
			}
			found_note_insn(s, code + at, &insn,
					function->vaddr + at + insn.length);
		}
	}
}

/*
 * Returns the end of the first instruction from `at` on that ends the flow, or
 * the next start of a function.
 */
static uint64_t end_of_flow(const struct found_search *s,
			    const struct region *region, uint64_t at)
{
	struct insn insn;

	do {
		const uint8_t *code = region->code + (at - region->vaddr);

		if (decode_scan(s->decoder, code, region->end - at, &insn))
			insn = (struct insn){ .length = 1 };
		at += insn.length;
	} while (at < region->end && !insn_ends_flow(&insn) &&
		 !region->places[at - region->vaddr].is_start);
	return at < region->end ? at : region->end;
}

/*
 * Returns the size from the start to the end of the flow after the last
 * instruction that was followed; code of a refused function is not followed to
 * its end.
 */
static uint64_t size_of(const struct found_search *s, uint64_t vaddr)
{
	const struct region *region = found_region_at(s, vaddr);
	uint64_t last = vaddr;

	for (uint64_t at = vaddr + 1; at < region->end; at++) {
		const struct found_place *place =
			&region->places[at - region->vaddr];

		if (place->is_start)
			break;
		if (place->owner != FOUND_NOBODY)
			last = at;
	}
	return end_of_flow(s, region, last) - vaddr;
}

/* Merges two lists in order; found functions are in the regions only. */
static int merge(struct found_search *s, struct functions *functions)
{
	const size_t room = functions->count + s->found.count;
	struct function *list = arena_alloc(s->arena, room * sizeof(*list));
	uint32_t count = 0, next = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < s->regions.count; i++) {
		const struct region *region =
			(struct region *)s->regions.items + i;

		while (next < functions->count &&
		       functions->list[next].vaddr < region->vaddr)
			list[count++] = functions->list[next++];
		for (uint64_t at = region->vaddr; at < region->end; at++) {
			const struct found_place *place =
				&region->places[at - region->vaddr];

			if (!place->is_start)
				continue;
			list[count++] = (struct function){
				.vaddr = at,
				.size = size_of(s, at),
				.verdict = VERDICT_IS_BLIND,
				.is_found = 1,
			};
		}
	}
	while (next < functions->count)
		list[count++] = functions->list[next++];
	*functions = (struct functions){ list, count };
	return 0;
}

/* Stores the verdicts in the list of functions. */
static void give_verdicts(const struct found_search *s,
			  const struct functions *functions)
{
	for (uint32_t i = 1; i <= s->found.count; i++) {
		const struct one *one = found_one_of(s, i);
		uint32_t index = functions_at(functions, one->vaddr);
		const int is_midway = found_place_at(s, one->vaddr)->is_midway;

		if (index != UINT32_MAX &&
		    functions->list[index].vaddr == one->vaddr)
			functions->list[index].verdict =
				is_midway ? VERDICT_IS_BLIND : one->verdict;
	}
}

/* Follows the steps that were postponed, unless a function starts there. */
static void follow_held(struct found_search *s)
{
	while (s->returns.count > 0 && !s->err) {
		const struct held held =
			((struct held *)s->returns.items)[--s->returns.count];
		const struct found_place *place =
			found_place_at(s, held.step.vaddr);

		if (place->is_start || place->owner != FOUND_NOBODY)
			continue;
		s->current = held.owner;
		found_push_step(s, held.step.vaddr, held.step.stack);
		found_follow_all(s);
	}
}

/* Repeats the search until nothing new is found. */
static void search_all(struct found_search *s)
{
	int rounds = ROUNDS_MAX;
	uint32_t done = 0;
	size_t before;

	do {
		do {
			before = s->found.count;
			examine_new(s, &done);
			try_starts(s, &done);
			follow_held(s);
		} while (s->found.count > before && !s->err && rounds-- > 0);
		fill_switches(s, &done);
	} while ((s->found.count > before || split_tail_calls(s)) && !s->err &&
		 rounds-- > 0);
	examine_new(s, &done);
}

/*
 * Notes a pointer to code. In modules at a fixed address, any word may look
 * like a pointer, so the pointer is not certain.
 */
static void visit_pointer(void *context, uint64_t vaddr)
{
	struct found_search *s = context;
	const Elf64_Ehdr *header = (const void *)s->image->bytes;
	struct found_place *place = found_place_at(s, vaddr);

	if (!place)
		return;
	place->is_pointed = 1;
	place->is_relocated = header->e_type == ET_DYN;
}

static void visit_call(void *context, uint64_t vaddr)
{
	found_add_function(context, vaddr);
}

int found_add(const struct image *image, const struct decoder *decoder,
	      const struct bare *bare, struct arena *arena,
	      struct functions *functions)
{
	struct found_search s = {
		.image = image,
		.decoder = decoder,
		.known = functions,
		.arena = arena,
		.entries_left = image->size,
	};
	int err;

	found_open(&s, bare);
	if (s.err || s.regions.count == 0)
		return s.err;
	read_known(&s);
	pointers_walk_linked_calls(image, visit_call, &s);
	pointers_walk(image, visit_pointer, &s);
	search_all(&s);
	if (s.err)
		return s.err;
	err = merge(&s, functions);
	if (!err)
		give_verdicts(&s, functions);
	return err;
}
