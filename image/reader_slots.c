/* SPDX-License-Identifier: MIT */
/* See reader_slots.h. */
#include "image/reader_slots.h"

#include <errno.h>
#include <string.h>

#include "image/idioms.h"
#include "image/pointers.h"
#include "image/symbol_names.h"
#include "image/symbols.h"

/* maximum number of slots; no file has so many relocations */
#define SLOTS_MAX (UINT32_C(1) << 28)

struct slot_gathering {
	const struct image *image;
	/* Receives the slots. With NULL the slots are only counted. */
	struct reader_slots *slots;
	uint64_t count;
};

static struct reader_slot *entry_of(const struct reader_slots *slots,
				    uint64_t at)
{
	uint64_t hash = at * UINT64_C(0x9e3779b97f4a7c15) >> 32;

	for (;; hash++) {
		struct reader_slot *slot = &slots->slots[hash & slots->mask];

		if (!slot->at || slot->at == at)
			return slot;
	}
}

static void add(struct slot_gathering *g, uint64_t at, enum reader_kind kind,
		uint64_t vaddr)
{
	struct reader_slot *slot;

	if (kind == READER_IS_NONE || at == 0)
		return;
	g->count++;
	if (!g->slots)
		return;
	slot = entry_of(g->slots, at);
	if (!slot->at)
		*slot = (struct reader_slot){ at, vaddr, kind };
}

static enum reader_kind kind_of(const char *name)
{
	if (name_reads_its_callers_return(name))
		return READER_OF_ITS_CALLER_S;
	return name_reads_its_return(name) ? READER_OF_ITS_OWN : READER_IS_NONE;
}

static void visit_slot(void *context, const struct named_pointer *pointer)
{
	struct slot_gathering *g = context;
	enum reader_kind kind = kind_of(pointer->name);

	if (kind == READER_IS_NONE && pointer->vaddr && pointer->is_linked)
		kind = READER_IS_LOCAL;
	add(g, pointer->slot_vaddr, kind, pointer->vaddr);
}

/*
 * Adds a function of the module that reads its caller's return address. An
 * mcount() that is linked statically has no slot.
 */
static int visit_symbol(void *context, const struct symbol *symbol)
{
	if (symbol->is_function && symbol->is_defined &&
	    name_reads_its_callers_return(symbol->name))
		add(context, symbol->vaddr, READER_OF_ITS_CALLER_S, 0);
	return 0;
}

static void gather(struct slot_gathering *g)
{
	pointers_walk_named(g->image, visit_slot, g);
	symbols_walk(g->image, visit_symbol, g);
}

int reader_slots_find(const struct image *image, struct arena *arena,
		      struct reader_slots *out)
{
	struct reader_slots made = { 0 };
	struct slot_gathering g = { .image = image };
	uint32_t room = 2;

	gather(&g);
	if (g.count >= SLOTS_MAX)
		return -ENOMEM;
	while (room < 2 * g.count)
		room *= 2;
	made.slots = arena_alloc(arena, room * sizeof(*made.slots));
	made.mask = room - 1;
	if (!made.slots)
		return -ENOMEM;
	g.slots = &made;
	gather(&g);
	*out = made;
	return 0;
}

struct reader_slot reader_slots_at(const struct reader_slots *slots,
				   const struct image *image, uint64_t at)
{
	struct reader_slot slot = *entry_of(slots, at);
	struct bytes b;
	uint64_t slot_vaddr;

	if (slot.at)
		return slot;
	b = image_bytes_at(image, at);
	if (!idioms_jumps_through(b.at, bytes_left(&b), at, &slot_vaddr))
		return slot;
	return *entry_of(slots, slot_vaddr);
}

struct reader_slot reader_slots_through(const struct reader_slots *slots,
					const uint8_t *code,
					unsigned int length,
					uint64_t next_vaddr)
{
	uint64_t slot_vaddr;

	if (!idioms_goes_through(code, length, next_vaddr, &slot_vaddr))
		return (struct reader_slot){ 0 };
	return *entry_of(slots, slot_vaddr);
}

struct reader_slot reader_slots_in(const struct reader_slots *slots,
				   const uint8_t *code, unsigned int length,
				   uint64_t next_vaddr)
{
	uint64_t slot_vaddr;

	if (!idioms_accesses(code, length, next_vaddr, &slot_vaddr))
		return (struct reader_slot){ 0 };
	return *entry_of(slots, slot_vaddr);
}
