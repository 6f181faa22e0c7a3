/* SPDX-License-Identifier: MIT */
/*
 * See bare.h. A stretch begins after padding, and ends where control flow and
 * padding show that something else begins. Mostly it is one function.
 */
#include "image/bare.h"

#include <errno.h>
#include <string.h>

#include "image/code_ranges.h"
#include "image/startup.h"
#include "wire/verdict.h"

#define MIN_ROOM 64

struct bare_search {
	const struct image *image;
	const struct decoder *decoder;
	const struct functions *functions;
	struct arena *arena;
	struct bare *bare;
	uint64_t done; /* all code below this address has been searched */
	uint32_t next; /* index of the first function after `done` */
	int err;
};

static struct wire_function *new_stretch(struct bare_search *s)
{
	struct bare *bare = s->bare;

	if (bare->count == bare->room) {
		uint32_t room = bare->room ? 2 * bare->room : MIN_ROOM;
		struct wire_function *list =
			arena_alloc(s->arena, room * sizeof(*list));

		if (!list) {
			s->err = -ENOMEM;
			return NULL;
		}
		if (bare->count)
			memcpy(list, bare->list, bare->count * sizeof(*list));
		bare->list = list;
		bare->room = room;
	}
	return &bare->list[bare->count++];
}

static void add(struct bare_search *s, uint64_t vaddr, uint64_t end)
{
	struct wire_function *stretch;

	if (end <= vaddr || s->err)
		return;
	stretch = new_stretch(s);
	if (stretch)
		*stretch = (struct wire_function){
			.vaddr = vaddr,
			.size_bytes = (uint32_t)(end - vaddr),
			.verdict = VERDICT_IS_BARE,
		};
}

/* Returns the length of padding (nops of any length, int3, zeros), or 0. */
static uint64_t padding_bytes(const struct bare_search *s, const uint8_t *code,
			      uint64_t left)
{
	struct insn insn;

	if (*code == 0x00)
		return 1;
	if (decode_scan(s->decoder, code, left, &insn) ||
	    (insn.kind != INSN_NOP && insn.kind != INSN_TRAP))
		return 0;
	return insn.length;
}

/*
 * Returns the length of the code that begins at `code` and ends with its
 * control flow.
 */
static uint64_t code_bytes(const struct bare_search *s, const uint8_t *code,
			   uint64_t left)
{
	uint64_t at = 0;
	struct insn insn = { .kind = INSN_PLAIN };

	while (at < left) {
		if (at > 0 && insn_ends_flow(&insn) &&
		    padding_bytes(s, code + at, left - at))
			break;
		if (decode_scan(s->decoder, code + at, left - at, &insn))
			insn = (struct insn){ .kind = INSN_PLAIN, .length = 1 };
		at += insn.length;
	}
	return at;
}

/* Searches [vaddr, end), which is in no function. */
static void check_gap(struct bare_search *s, uint64_t vaddr, uint64_t end)
{
	uint64_t left = 0;
	const uint8_t *code = image_at(s->image, vaddr, &left);

	if (!code || end <= vaddr)
		return;
	if (left > end - vaddr)
		left = end - vaddr;
	while (left > 0) {
		uint64_t bytes = padding_bytes(s, code, left);

		if (!bytes)
			bytes = startup_bytes(s->image, vaddr);
		if (!bytes) {
			bytes = code_bytes(s, code, left);
			if (!startup_is_init(s->image, vaddr))
				add(s, vaddr, vaddr + bytes);
		}
		if (bytes > left)
			break;
		code += bytes;
		vaddr += bytes;
		left -= bytes;
	}
}

/*
 * Returns the end of function `index`. A symbol without a size covers the code
 * up to the next function, which has the symbol's verdict.
 */
static uint64_t end_of(const struct functions *functions, uint32_t index,
		       uint64_t end)
{
	const struct function *function = &functions->list[index];

	if (function->size > 0 || function->is_inside)
		return function->vaddr + function->size;
	return index + 1 < functions->count && function[1].vaddr < end
		       ? function[1].vaddr
		       : end;
}

static int is_left_out(const char *section)
{
	return strncmp(section, ".plt", 4) == 0 ||
	       strcmp(section, ".iplt") == 0 || strcmp(section, ".init") == 0 ||
	       strcmp(section, ".fini") == 0;
}

/*
 * Linkers write sections in order; sections out of order are searched at most
 * once.
 */
static void visit_code(void *context, const struct code_range *range)
{
	struct bare_search *s = context;
	const struct functions *functions = s->functions;

	if (s->done < range->vaddr)
		s->done = range->vaddr;
	if (is_left_out(range->section))
		s->done = s->done < range->end ? range->end : s->done;
	for (; s->next < functions->count; s->next++) {
		const uint64_t vaddr = functions->list[s->next].vaddr;
		uint64_t end = end_of(functions, s->next, range->end);

		if (vaddr >= range->end)
			break;
		if (end <= s->done)
			continue;
		check_gap(s, s->done, vaddr);
		s->done = end;
	}
	if (s->done < range->end) {
		check_gap(s, s->done, range->end);
		s->done = range->end;
	}
}

int bare_find(const struct image *image, const struct decoder *decoder,
	      const struct functions *functions, struct arena *arena,
	      struct bare *out)
{
	struct bare found = { 0 };
	struct bare_search s = {
		.image = image,
		.decoder = decoder,
		.functions = functions,
		.arena = arena,
		.bare = &found,
	};

	code_walk(image, visit_code, &s);
	if (s.err)
		return s.err;
	*out = found;
	return 0;
}

uint32_t bare_merge(const struct bare *bare, struct wire_function *list,
		    uint32_t count)
{
	const uint32_t total = count + bare->count;
	uint32_t left = bare->count;
	uint32_t out = total;

	while (left > 0) {
		const struct wire_function *stretch = &bare->list[left - 1];

		if (count && list[count - 1].vaddr > stretch->vaddr) {
			list[--out] = list[--count];
		} else {
			list[--out] = *stretch;
			left--;
		}
	}
	return total;
}
