/* SPDX-License-Identifier: MIT */
/* See window.h. */
#include "preload/stubs/window.h"

#include <errno.h>

#include "machine/address_space.h"
#include "preload/hot/layout.h"
#include "preload/hot/runtime.h"
#include "preload/stubs/stub_memory.h"
#include "preload/sys/seal.h"
#include "preload/sys/sys.h"

#define REACH  ((UINT64_C(1) << 31) - (UINT64_C(1) << 20))
#define LOWEST (UINT64_C(1) << 20) /* above vm.mmap_min_addr */

/* The heap grows upwards from its start and needs free space there. */
#define HEAP_ROOM  (UINT64_C(1) << 36)

#define BACKED_MAX (UINT64_C(1) << 16)

static int is_within_reach(uint64_t block, const struct pc_range *code)
{
	uint64_t low = block < code->start ? block : code->start;
	uint64_t block_end = block + WINDOW_BLOCK_BYTES;
	uint64_t high = block_end > code->end ? block_end : code->end;

	return high - low < REACH;
}

/* number of possible addresses below; more are out of reach */
#define PLACES_BELOW 128
#define PLACE_COUNT  (2 * PLACES_BELOW)

/*
 * Returns the i-th possible address of a block near the code, or 0. Below the
 * code the nearest come first, because other modules may be loaded farther
 * away; above it, where a heap or a stack may grow, the farthest.
 */
static uint64_t place_near(const struct pc_range *code, unsigned int i)
{
	const uint64_t below = code->start & ~(WINDOW_BLOCK_BYTES - 1);
	uint64_t place = below - (i + 1) * WINDOW_BLOCK_BYTES;

	if (i >= PLACES_BELOW)
		place = below + (PLACE_COUNT - i) * WINDOW_BLOCK_BYTES;
	if (place < LOWEST || place >= ADDRESS_END - WINDOW_BLOCK_BYTES ||
	    !is_within_reach(place, code))
		return 0;
	return place;
}

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

/* Addresses for blocks, from the best to the worst. */
enum rank {
	GOOD,
	FAR,    /* a 32-bit offset does not reach all addresses of the module */
	IN_WAY, /* in the way of the heap's growth */
	/*
	 * A word whose low half is a small int can look like an address in the
	 * block (runtime_is_exit()).
	 */
	MISTAKEN,
	RANK_COUNT,
};

/*
 * Returns whether the block is next to a multiple of 4 GiB. The low 32 bits of
 * its addresses are then small positive or negative ints.
 */
static int is_next_to_4_gib(uint64_t place)
{
	const uint32_t low = (uint32_t)place;

	return place >> 32 && (low < WINDOW_BLOCK_BYTES ||
			       low >= -(uint32_t)WINDOW_BLOCK_BYTES);
}

static enum rank rank_of(const struct windows *windows, uint64_t place,
			 const struct window_user *user)
{
	if (is_next_to_4_gib(place))
		return MISTAKEN;
	if (is_in_way_of_heap(windows, place))
		return IN_WAY;
	return is_within_reach(place, &user->image) ? GOOD : FAR;
}

static int add_span(struct windows *windows, uint64_t start, uint64_t end)
{
	if (windows->span_count == WINDOW_SPAN_MAX)
		return -ENOMEM;
	windows->spans[windows->span_count++] = (struct window_span){
		.start = start, .next = start, .backed = start, .end = end
	};
	return 0;
}

static int map_block(const struct windows *windows, uint64_t place,
		     int is_spare)
{
	return is_spare ? stub_memory_reserve(place, IMAGE_OF_STUBS)
			: stub_memory_map(windows->part_path, place);
}

/*
 * Adds a block at an address. Returns 0, -EEXIST if the address is taken, or
 * another -errno.
 */
static int add_block_at(struct windows *windows, uint64_t place, int is_spare)
{
	int err;

	if (windows->block_count == WINDOW_BLOCK_MAX)
		return -ENOMEM;
	err = map_block(windows, place, is_spare);
	if (err)
		return err;
	windows->blocks[windows->block_count] =
		(struct window_block){ place, is_spare };
	__atomic_store_n(&windows->block_count, windows->block_count + 1,
			 __ATOMIC_RELEASE);
	hot_windows[place >> WINDOW_SHIFT] = WINDOW_STUBS;
	return add_span(windows, place + WINDOW_HEAD_BYTES,
			place + WINDOW_BLOCK_BYTES);
}

static int add_block(struct windows *windows, const struct window_user *user,
		     enum rank rank, int is_spare)
{
	const uint32_t count = windows->block_count;

	for (unsigned int i = 0; i < PLACE_COUNT; i++) {
		uint64_t place = place_near(&user->code, i);
		int err;

		if (!place || overlaps(place, &user->image) ||
		    rank_of(windows, place, user) != rank)
			continue;
		err = add_block_at(windows, place, is_spare);
		if (!err || err == -ENOMEM || windows->block_count > count)
			return err;
	}
	return -ERANGE;
}

/*
 * Makes more of the span writable. The amount grows with the used part, because
 * each call of this function costs a system call.
 */
static void back(const struct windows *windows, struct window_span *span)
{
	const uint64_t used = span->next - span->start;
	const uint64_t more = used < BACKED_MAX ? used : BACKED_MAX;
	uint64_t end = (span->next + more + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);

	if (end > span->end)
		end = span->end;
	if (span->next <= span->backed)
		return;
	stub_memory_back(span->backed, end,
			 span->is_bare ? windows->part_path : NULL);
	span->backed = end;
}

static uint64_t block_of(const struct window_span *span)
{
	return span->start & ~(WINDOW_BLOCK_BYTES - 1);
}

/* Returns whether the span's block is unused. */
static int is_unused(const struct window_span *span)
{
	return span->next == block_of(span) + WINDOW_HEAD_BYTES;
}

/* Returns the spare block that contains a span, or NULL. */
static struct window_block *spare_of(struct windows *windows,
				     const struct window_span *span)
{
	for (uint32_t i = 0; is_unused(span) && i < windows->block_count; i++)
		if (windows->blocks[i].start == block_of(span) &&
		    windows->blocks[i].is_spare)
			return &windows->blocks[i];
	return NULL;
}

static int use_spare(const struct windows *windows, struct window_block *spare)
{
	spare->is_spare = 0;
	return stub_memory_move_to_file(windows->part_path, spare->start);
}

/*
 * Returns a span that has room for `bytes` bytes within reach, or NULL. Uses a
 * spare block only if no other span has room.
 */
static struct window_span *find_span(struct windows *windows,
				     const struct pc_range *reached,
				     uint64_t bytes)
{
	struct window_span *found = NULL;

	for (uint32_t i = windows->span_count; i-- > 0;) {
		struct window_span *span = &windows->spans[i];

		if (span->end - span->next < bytes ||
		    !is_within_reach(block_of(span), reached))
			continue;
		found = span;
		if (!spare_of(windows, span))
			break;
	}
	return found;
}

static int take(struct windows *windows, const struct pc_range *reached,
		uint64_t bytes, uint8_t **out)
{
	struct window_span *span;
	struct window_block *spare;

	while ((span = find_span(windows, reached, bytes)) &&
	       (spare = spare_of(windows, span)) && use_spare(windows, spare))
		*span = windows->spans[--windows->span_count];
	if (!span)
		return 0;
	*out = (uint8_t *)(uintptr_t)span->next;
	span->next += bytes;
	back(windows, span);
	return 1;
}

/*
 * Allocates memory from which a 32-bit offset reaches the user's whole image,
 * outside of the heap's space.
 */
static int take_good(struct windows *windows, const struct window_user *user,
		     uint64_t bytes, uint8_t **out)
{
	int err = 0;

	if (windows->image_out_of_reach == user->image.start)
		return -ERANGE;
	while (!err && !take(windows, &user->image, bytes, out))
		err = add_block(windows, user, GOOD, 0);
	if (err == -ERANGE)
		windows->image_out_of_reach = user->image.start;
	return err;
}

/*
 * Allocates memory at any address within reach of a jump from the user's code.
 */
static int take_any(struct windows *windows, const struct window_user *user,
		    uint64_t bytes, uint8_t **out)
{
	int err = 0;

	while (!err && !take(windows, &user->code, bytes, out)) {
		if (windows->code_out_of_reach == user->code.start)
			return -ERANGE;
		err = add_block(windows, user, FAR, 0);
		if (err == -ERANGE)
			err = add_block(windows, user, IN_WAY, 0);
		if (err == -ERANGE)
			err = add_block(windows, user, MISTAKEN, 0);
	}
	if (err == -ERANGE)
		windows->code_out_of_reach = user->code.start;
	return err;
}

int window_alloc(struct windows *windows, const struct window_user *user,
		 uint64_t bytes, uint8_t **out)
{
	int err;

	if (bytes > WINDOW_BLOCK_BYTES - WINDOW_HEAD_BYTES)
		return -ENOMEM;
	err = take_good(windows, user, bytes, out);
	return err == -ERANGE ? take_any(windows, user, bytes, out) : err;
}

/* ---- Requested address ranges ---- */

/*
 * Returns the part of [start, end) that is in this block, without the block's
 * head. The part may be empty.
 */
static struct pc_range piece_in(uint64_t block, uint64_t start, uint64_t end)
{
	const uint64_t first = block + WINDOW_HEAD_BYTES;
	const uint64_t last = block + WINDOW_BLOCK_BYTES;

	return (struct pc_range){ start > first ? start : first,
				  end < last ? end : last };
}

/* Returns the span that contains the whole piece as unused memory, or NULL. */
static struct window_span *span_around(struct windows *windows,
				       const struct pc_range *piece)
{
	for (uint32_t i = 0; i < windows->span_count; i++)
		if (windows->spans[i].next <= piece->start &&
		    windows->spans[i].end >= piece->end)
			return &windows->spans[i];
	return NULL;
}

static struct window_block *find_block(struct windows *windows, uint64_t place)
{
	for (uint32_t i = 0; i < windows->block_count; i++)
		if (windows->blocks[i].start == place)
			return &windows->blocks[i];
	return NULL;
}

static int prepare_block(struct windows *windows,
			 const struct window_user *user, uint64_t place)
{
	struct window_block *block = find_block(windows, place);

	if (block)
		return block->is_spare ? use_spare(windows, block) : 0;
	if (place < LOWEST || place >= ADDRESS_END - WINDOW_BLOCK_BYTES ||
	    overlaps(place, &user->image) || is_next_to_4_gib(place) ||
	    !is_within_reach(place, &user->image))
		return -ERANGE;
	return add_block_at(windows, place, 0);
}

/*
 * Removes the piece from the span around it. The remainder before the piece
 * becomes the last of the list, and so is filled first: together with the
 * block's head it is one mapping, as some unwinders need (stub_memory.h).
 */
static int cut_out(struct windows *windows, const struct pc_range *piece)
{
	struct window_span *span = span_around(windows, piece);
	struct window_span before;

	if (!span)
		return -EEXIST;
	before = *span;
	before.end = piece->start;
	if (before.backed > before.end)
		before.backed = before.end;
	if (piece->end < span->end)
		*span = (struct window_span){ .start = piece->end,
					      .next = piece->end,
					      .backed = piece->end,
					      .end = span->end,
					      .is_bare = span->is_bare };
	else
		*span = windows->spans[--windows->span_count];
	if (before.start == before.end)
		return 0;
	if (windows->span_count == WINDOW_SPAN_MAX)
		return -ENOMEM; /* the remainder before the piece is lost */
	windows->spans[windows->span_count++] = before;
	return 0;
}

int window_is_taken(const struct windows *windows, uint64_t pc)
{
	for (uint32_t i = 0; i < windows->taken_count; i++)
		if (pc >= windows->taken[i].start && pc < windows->taken[i].end)
			return 1;
	return 0;
}

struct pc_range window_piece(const struct pc_range *taken, uint64_t block)
{
	return piece_in(block, taken->start, taken->end);
}

/*
 * Stores a taken range, so that it can be freed when clew detaches. Returns 0
 * or -ENOMEM.
 */
static int note_taken(struct windows *windows, const struct pc_range *place)
{
	if (!rt.is_late)
		return 0;
	if (windows->taken_count == WINDOW_TAKEN_MAX)
		return -ENOMEM;
	windows->taken[windows->taken_count++] = *place;
	return 0;
}

void windows_note_loose(struct windows *windows, uint64_t start, uint64_t bytes)
{
	note_taken(windows,
		   &(struct pc_range){ start, (start + bytes + PAGE_BYTES - 1) &
						      ~(PAGE_BYTES - 1) });
}

/*
 * Removes the taken range that contains pc from the list. Called when a part of
 * it is freed, because the rest is then unused as well.
 */
static void forget_taken(struct windows *windows, uint64_t pc)
{
	for (uint32_t i = windows->taken_count; i-- > 0;)
		if (pc >= windows->taken[i].start && pc < windows->taken[i].end)
			windows->taken[i] =
				windows->taken[--windows->taken_count];
}

int window_take(struct windows *windows, const struct window_user *user,
		const struct pc_range *place)
{
	const uint64_t first = place->start & ~(WINDOW_BLOCK_BYTES - 1);
	int err = 0;

	for (uint64_t b = first; !err && b < place->end;
	     b += WINDOW_BLOCK_BYTES) {
		const struct pc_range piece =
			piece_in(b, place->start, place->end);

		err = prepare_block(windows, user, b);
		if (!err && piece.start < piece.end &&
		    !span_around(windows, &piece))
			err = -EEXIST;
	}
	if (!err)
		err = note_taken(windows, place);
	for (uint64_t b = first; !err && b < place->end;
	     b += WINDOW_BLOCK_BYTES) {
		const struct pc_range piece =
			piece_in(b, place->start, place->end);

		if (piece.start < piece.end)
			err = cut_out(windows, &piece);
	}
	return err;
}

static int map_piece(const struct pc_range *place, const struct pc_range *piece,
		     int fd)
{
	const void *got =
		sys_mmap((void *)piece->start, piece->end - piece->start,
			 PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
			 (off_t)(piece->start - place->start));

	return sys_failed(got) ? (int)(long)got : 0;
}

int window_map(const struct pc_range *place, int fd)
{
	int err = 0;

	for (uint64_t b = place->start & ~(WINDOW_BLOCK_BYTES - 1);
	     !err && b < place->end; b += WINDOW_BLOCK_BYTES) {
		const struct pc_range piece =
			piece_in(b, place->start, place->end);

		if (piece.start < piece.end)
			err = map_piece(place, &piece, fd);
	}
	return err;
}

/* ---- Spare, sealed and freed memory ---- */

void windows_keep_spare(struct windows *windows, const struct window_user *user)
{
	for (uint32_t i = 0; i < windows->span_count; i++)
		if (is_unused(&windows->spans[i]) &&
		    is_within_reach(block_of(&windows->spans[i]), &user->code))
			return;
	for (enum rank rank = GOOD; rank < RANK_COUNT; rank++)
		if (!add_block(windows, user, rank, 1))
			return;
}

void windows_turn_page(struct windows *windows)
{
	for (uint32_t i = 0; i < windows->span_count; i++) {
		struct window_span *span = &windows->spans[i];

		span->next = (span->next + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	}
}

/* Removes a span's filled pages, or the whole span if nothing remains. */
static int seal_span(struct windows *windows, uint32_t i)
{
	struct window_span *span = &windows->spans[i];
	uint64_t filled = (span->next + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	int err;

	if (span->next == span->start)
		return 0;
	err = seal_pages((void *)span->start, filled - span->start);
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

/*
 * Returns whether the span is unused and none of its pages was prepared for
 * writing.
 */
static int is_free(const struct window_span *span)
{
	return span->next == span->start && span->backed == span->start;
}

/*
 * Marks free memory as memory without a file. If the span is a whole block, the
 * block gets a file when it is used again.
 */
static void note_free(struct windows *windows, struct window_span *span)
{
	const uint64_t place = block_of(span);
	struct window_block *block = find_block(windows, place);

	span->is_bare = 1;
	if (!block || span->start != place + WINDOW_HEAD_BYTES ||
	    span->end != place + WINDOW_BLOCK_BYTES)
		return;
	span->is_bare = 0;
	block->is_spare = 1;
}

void windows_trim(struct windows *windows)
{
	for (uint32_t i = 0; i < windows->span_count; i++) {
		struct window_span *span = &windows->spans[i];
		const uint64_t used =
			(span->next + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);

		if (span->backed <= used ||
		    stub_memory_free(used, span->backed))
			continue;
		span->backed = used;
		span->is_bare = 1;
	}
}

/* Merges the free memory with adjacent free spans of its block. */
static void add_free(struct windows *windows, uint64_t start, uint64_t end)
{
	for (uint32_t i = windows->span_count; i-- > 0;) {
		struct window_span *span = &windows->spans[i];
		const int is_behind = span->start == end && is_free(span) &&
				      end % WINDOW_BLOCK_BYTES;

		if (!is_behind && (span->end != start || !is_free(span)))
			continue;
		if (is_behind)
			end = span->end;
		else
			start = span->start;
		*span = windows->spans[--windows->span_count];
		i = windows->span_count;
	}
	if (!add_span(windows, start, end))
		note_free(windows, &windows->spans[windows->span_count - 1]);
}

void window_free(struct windows *windows, uint64_t start, uint64_t bytes)
{
	forget_taken(windows, start);
	if (!stub_memory_free(start, start + bytes))
		add_free(windows, start, start + bytes);
}
