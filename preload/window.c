/* SPDX-License-Identifier: MIT */
#include "preload/window.h"

#include <errno.h>

#include "preload/hot/layout.h"
#include "preload/stub_memory.h"
#include "preload/sys.h"

#define REACH       ((UINT64_C(1) << 31) - (UINT64_C(1) << 20))
#define ADDRESS_END (UINT64_C(1) << 47)
#define LOWEST      (UINT64_C(1) << 20) /* above vm.mmap_min_addr */
#define PAGE        UINT64_C(4096)

/* The heap grows upwards from where it begins, and expects nobody there. */
#define HEAP_ROOM      (UINT64_C(1) << 36)

#define BACKED_AT_ONCE (UINT64_C(1) << 16)

_Static_assert(WINDOW_BLOCK_BYTES == UINT64_C(1) << WINDOW_SHIFT, "asm");

static const struct zone zones[] = {
	{ 0x8f, 0x6f, 0x70, 16 }, /* jg: signed, above 0x6f */
	{ 0x8c, 0x90, 0x80, 16 }, /* jl: signed, below -0x70 */
	{ 0x87, 0xef, 0xf0, 16 }, /* ja */
	{ 0x82, 0x10, 0x00, 16 }, /* jb */
	{ 0x8f, 0x5f, 0x60, 32 }, /* the same, wider */
	{ 0x8c, 0xa0, 0x80, 32 }, { 0x87, 0xdf, 0xe0, 32 },
	{ 0x82, 0x20, 0x00, 32 },
};

#define ZONE_COUNT (sizeof(zones) / sizeof(*zones))

static int is_within_reach(uint64_t block, const struct pc_range *code)
{
	uint64_t low = block < code->start ? block : code->start;
	uint64_t block_end = block + WINDOW_BLOCK_BYTES;
	uint64_t high = block_end > code->end ? block_end : code->end;

	return high - low < REACH;
}

/* The i-th place for a block in a zone that is near the code, or 0. */
static uint64_t place_near(const struct zone *zone, const struct pc_range *code,
			   unsigned int i)
{
	static const int order[] = { 0, -1, 1 };
	const unsigned int values = zone->values;
	uint64_t high = (code->start >> 32) + (uint64_t)order[i / values % 3];
	uint64_t place = high << 32 | (uint64_t)zone->first << 24;

	place += (values - 1 - i % values) * WINDOW_BLOCK_BYTES;
	if (i >= 3 * values || place < LOWEST ||
	    place >= ADDRESS_END - WINDOW_BLOCK_BYTES ||
	    !is_within_reach(place, code))
		return 0;
	return place;
}

#define PLACE_COUNT 96 /* of the widest zones */
#define PLENTY      16 /* more are no better */

static int overlaps(uint64_t place, const struct pc_range *range)
{
	return place < range->end && place + WINDOW_BLOCK_BYTES > range->start;
}

static int is_in_way_of_heap(const struct windows *windows, uint64_t place)
{
	return windows->heap_start &&
	       place + WINDOW_BLOCK_BYTES > windows->heap_start &&
	       place < windows->heap_start + HEAP_ROOM;
}

/* Places for blocks, the best first. */
enum rank {
	GOOD,
	FAR,    /* out of reach of what the code refers to */
	IN_WAY, /* where the heap wants to go */
	RANK_COUNT,
};

static enum rank rank_of(const struct windows *windows, uint64_t place,
			 const struct window_user *user)
{
	if (is_in_way_of_heap(windows, place))
		return IN_WAY;
	return is_within_reach(place, &user->image) ? GOOD : FAR;
}

struct places {
	unsigned int all, of_rank[RANK_COUNT];
};

static struct places count_places(const struct windows *windows,
				  const struct zone *zone,
				  const struct window_user *user)
{
	struct places places = { 0 };

	for (unsigned int i = 0; i < PLACE_COUNT; i++) {
		uint64_t place = place_near(zone, &user->code, i);

		if (!place || overlaps(place, &user->image))
			continue;
		places.all++;
		places.of_rank[rank_of(windows, place, user)]++;
	}
	return places;
}

static unsigned int count_blocks_inside(const struct zone *zone,
					const struct pc_range *code)
{
	unsigned int inside = 0;

	for (uint64_t pc = code->start; pc < code->end;
	     pc += WINDOW_BLOCK_BYTES)
		inside += (uint8_t)((pc >> 24) - zone->first) < zone->values;
	return inside;
}

/*
 * Code out of reach could not be hooked; a heap that cannot grow may end the
 * program; where stubs have no room, or are far from what displaced
 * instructions refer to, functions stay unhooked; code in the zone
 * takes room, and makes stubs look twice; few places may all turn out to be
 * taken.
 */
static unsigned int zone_cost(const struct windows *windows,
			      const struct zone *zone,
			      const struct window_user *users, uint32_t count)
{
	uint64_t wanted = 1 + windows->bytes_wanted / WINDOW_BLOCK_BYTES;
	unsigned int least = PLACE_COUNT;
	unsigned int cost = 0;

	for (uint32_t i = 0; i < count; i++) {
		unsigned int inside = count_blocks_inside(zone, &users[i].code);
		struct places places = count_places(windows, zone, &users[i]);

		if (places.all < least)
			least = places.all;
		wanted += inside;
		cost += places.all ? 0 : 10000000;
		cost += places.all < PLENTY ? PLENTY - places.all : 0;
		cost += places.of_rank[IN_WAY] == places.all ? 500000 : 0;
		cost += places.of_rank[GOOD] ? 0 : 100000;
		cost += 1000 * inside;
	}
	return cost + (least < wanted ? 200000 : 0);
}

int windows_init(struct windows *windows, const struct window_user *users,
		 uint32_t count)
{
	unsigned int best = UINT32_MAX;
	uint8_t *map = sys_mmap(
		NULL, ADDRESS_END >> WINDOW_SHIFT, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (sys_failed(map))
		return (int)(long)map;
	for (unsigned int i = 0; i < ZONE_COUNT; i++) {
		unsigned int cost = zone_cost(windows, &zones[i], users, count);

		if (cost >= best)
			continue;
		best = cost;
		windows->zone = &zones[i];
	}
	windows->map = map;
	return 0;
}

static int add_span(struct windows *windows, uint64_t start, uint64_t end)
{
	if (windows->span_count == WINDOW_SPAN_MAX)
		return -ENOMEM;
	windows->spans[windows->span_count++] =
		(struct window_span){ start, start, start, end };
	return 0;
}

static int add_block(struct windows *windows, const struct window_user *user,
		     enum rank rank)
{
	if (windows->block_count == WINDOW_BLOCK_MAX)
		return -ENOMEM;
	for (unsigned int i = 0; i < PLACE_COUNT; i++) {
		uint64_t place = place_near(windows->zone, &user->code, i);
		struct window_block *block;

		if (!place || rank_of(windows, place, user) != rank ||
		    !stub_memory_map(windows->part_path, place))
			continue;
		block = &windows->blocks[windows->block_count];
		*block = (struct window_block){ .start = place };
		__atomic_store_n(&windows->block_count,
				 windows->block_count + 1, __ATOMIC_RELEASE);
		windows->map[place >> WINDOW_SHIFT] = 1;
		return add_span(windows, place + WINDOW_HEAD_BYTES,
				place + WINDOW_BLOCK_BYTES);
	}
	return -ENOMEM;
}

/* Some more than is wanted now: it is a system call. */
static void back(struct window_span *span)
{
	uint64_t end = (span->next + BACKED_AT_ONCE) & ~(PAGE - 1);

	if (end > span->end)
		end = span->end;
	if (span->next <= span->backed)
		return;
	stub_memory_back(span->backed, end);
	span->backed = end;
}

static int take(struct windows *windows, const struct pc_range *reached,
		uint64_t bytes, uint8_t **out)
{
	for (uint32_t i = windows->span_count; i-- > 0;) {
		struct window_span *span = &windows->spans[i];
		uint64_t block = span->start & ~(WINDOW_BLOCK_BYTES - 1);

		if (span->end - span->next < bytes ||
		    !is_within_reach(block, reached))
			continue;
		*out = (uint8_t *)(uintptr_t)span->next;
		span->next += bytes;
		back(span);
		return 1;
	}
	return 0;
}

/* Within reach of the whole image, if that can be. */
static int take_good(struct windows *windows, const struct window_user *user,
		     uint64_t bytes, uint8_t **out)
{
	if (windows->image_out_of_reach == user->image.start)
		return 0;
	while (!take(windows, &user->image, bytes, out))
		if (add_block(windows, user, GOOD)) {
			windows->image_out_of_reach = user->image.start;
			return 0;
		}
	return 1;
}

int window_alloc(struct windows *windows, const struct window_user *user,
		 uint64_t bytes, uint8_t **out)
{
	int err = 0;

	if (bytes > WINDOW_BLOCK_BYTES - WINDOW_HEAD_BYTES)
		return -ENOMEM;
	if (take_good(windows, user, bytes, out))
		return 0;
	while (!err && !take(windows, &user->code, bytes, out)) {
		err = add_block(windows, user, FAR);
		if (err)
			err = add_block(windows, user, IN_WAY);
	}
	return err;
}

void windows_keep_spare(struct windows *windows, const struct window_user *user)
{
	for (uint32_t i = 0; i < windows->span_count; i++) {
		const struct window_span *span = &windows->spans[i];
		uint64_t block = span->start & ~(WINDOW_BLOCK_BYTES - 1);

		if (span->next == block + WINDOW_HEAD_BYTES &&
		    is_within_reach(block, &user->code))
			return;
	}
	for (enum rank rank = GOOD; rank < RANK_COUNT; rank++)
		if (!add_block(windows, user, rank))
			return;
}

void windows_turn_page(struct windows *windows)
{
	for (uint32_t i = 0; i < windows->span_count; i++) {
		struct window_span *span = &windows->spans[i];

		span->next = (span->next + PAGE - 1) & ~(PAGE - 1);
	}
}

/* A span without its filled pages; one that is nothing but them goes. */
static int seal_span(struct windows *windows, uint32_t i)
{
	struct window_span *span = &windows->spans[i];
	uint64_t filled = (span->next + PAGE - 1) & ~(PAGE - 1);
	int err;

	if (span->next == span->start)
		return 0;
	err = sys_mprotect((void *)span->start, filled - span->start,
			   PROT_READ | PROT_EXEC);
	if (err)
		return err;
	span->start = span->next = filled;
	if (span->backed < filled)
		span->backed = filled;
	if (filled == span->end)
		*span = windows->spans[--windows->span_count];
	return 0;
}

int windows_seal(struct windows *windows)
{
	int err = 0;

	for (uint32_t i = windows->span_count; !err && i-- > 0;)
		err = seal_span(windows, i);
	return err;
}

void window_free(struct windows *windows, uint64_t start, uint64_t bytes)
{
	const int is_at_end = !((start + bytes) % WINDOW_BLOCK_BYTES);

	if (sys_mprotect((void *)start, bytes, PROT_READ | PROT_WRITE))
		return; /* lost, and harmless */
	sys_madvise((void *)start, bytes, MADV_DONTNEED);
	for (uint32_t i = 0; !is_at_end && i < windows->span_count; i++) {
		struct window_span *span = &windows->spans[i];

		if (span->start != start + bytes || span->next != span->start)
			continue;
		span->start = span->next = span->backed = start;
		return;
	}
	add_span(windows, start, start + bytes);
}
