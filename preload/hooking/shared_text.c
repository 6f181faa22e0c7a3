/* SPDX-License-Identifier: MIT */
/* See shared_text.h. */
#include "preload/hooking/shared_text.h"

#include <errno.h>
#include <string.h>

#include "machine/address_space.h"
#include "preload/hot/large_table.h"
#include "preload/patch/journal.h"
#include "preload/sys/apart.h"
#include "preload/sys/proc_threads.h"
#include "preload/sys/sys.h"

#define RESERVE_BYTES  65536 /* freed if the kernel lacks memory */
#define ATTEMPTS       100
#define COMPARED_BYTES 4096 /* number of bytes compared at once */

struct shared_texts shared_texts LARGE_TABLE;

/* ---- Single texts ---- */

int shared_text_has(const struct pc_range *image, const struct wire_text *text)
{
	return !text->is_data && text->at >= image->start &&
	       text->at < image->end;
}

uint64_t shared_text_count(const struct pc_range *image)
{
	uint64_t count, found = 0;
	const struct wire_text *texts = journal_texts(&count);

	for (uint64_t i = 0; i < count; i++)
		found += (uint64_t)shared_text_has(image, &texts[i]);
	return found;
}

int shared_text_is_in(const struct shared_text *text)
{
	for (uint32_t i = 0; i < text->segment_count; i++)
		if (text->segments[i].is_shared)
			return 1;
	return 0;
}

static void unmap_ahead(uint64_t *at, const struct shared_segment *segment)
{
	if (*at)
		sys_munmap((void *)*at, segment->end - segment->start);
	*at = 0;
}

static void forget_hooked(struct shared_text *text)
{
	for (uint32_t i = 0; i < text->segment_count; i++)
		unmap_ahead(&text->segments[i].hooked_at, &text->segments[i]);
}

void shared_text_forget(struct shared_text *text)
{
	forget_hooked(text);
	for (uint32_t i = 0; i < text->segment_count; i++)
		unmap_ahead(&text->segments[i].own_at, &text->segments[i]);
}

void shared_texts_forget(void)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < shared_texts.count; i++) {
		struct shared_text *text = &shared_texts.items[i];

		if (shared_text_is_in(text))
			shared_texts.items[kept++] = *text;
		else
			shared_text_forget(text);
	}
	shared_texts.count = kept;
}

int shared_texts_meet(const struct pc_range *range)
{
	for (uint32_t i = 0; i < shared_texts.count; i++) {
		const struct shared_text *text = &shared_texts.items[i];

		for (uint32_t k = 0; k < text->segment_count; k++)
			if (text->segments[k].is_shared &&
			    text->segments[k].start < range->end &&
			    text->segments[k].end > range->start)
				return 1;
	}
	return 0;
}

/* ---- Existing mappings ---- */

static int is_as_expected(const struct shared_text *text,
			  const struct shared_segment *segment,
			  const struct mapped_range *mapping)
{
	const int is_shared = segment->is_shared;

	return mapping->start <= segment->start &&
	       mapping->end >= segment->end && !mapping->is_shared &&
	       mapping->protection == segment->protection &&
	       mapping->offset + (segment->start - mapping->start) ==
		       segment->offset &&
	       mapping->inode == (is_shared ? text->hooked_inode
					    : text->file.mapped_inode) &&
	       mapping->device == (is_shared ? text->hooked_device
					     : text->file.mapped_device);
}

/*
 * Called for each mapping of the process. Linux before 6.11 has no query for a
 * single mapping (PROCMAP_QUERY).
 */
static int see_mapping(void *context, const struct mapped_range *mapping)
{
	for (uint32_t i = 0; i < shared_texts.count; i++) {
		struct shared_text *text = &shared_texts.items[i];

		for (uint32_t k = 0; k < text->segment_count; k++)
			text->segments[k].is_seen |= is_as_expected(
				text, &text->segments[k], mapping);
	}
	return 0;
}

/* Returns -ENOTTY if the kernel does not answer queries. */
static int query_mappings(int maps)
{
	for (uint32_t i = 0; i < shared_texts.count; i++) {
		struct shared_text *text = &shared_texts.items[i];

		for (uint32_t k = 0; k < text->segment_count; k++) {
			struct shared_segment *segment = &text->segments[k];
			struct mapped_range found;
			const int err =
				mappings_find(maps, segment->start, &found);

			if (err == -ENOTTY)
				return err;
			segment->is_seen =
				!err && is_as_expected(text, segment, &found);
		}
	}
	return 0;
}

static void see_none(void)
{
	for (uint32_t i = 0; i < shared_texts.count; i++)
		for (uint32_t k = 0; k < SHARED_SEGMENTS_MAX; k++)
			shared_texts.items[i].segments[k].is_seen = 0;
}

/* Sets is_seen of all segments. Returns 0 or -errno. */
static int see_mappings(void)
{
	const int maps = proc_open_own("maps", O_RDONLY);
	int err;

	if (maps < 0)
		return maps;
	see_none();
	err = query_mappings(maps);
	sys_close(maps);
	if (err == -ENOTTY) {
		see_none();
		err = mappings_each(see_mapping, NULL);
	}
	return err < 0 ? err : 0;
}

static int all_are_seen(const struct shared_text *text)
{
	for (uint32_t i = 0; i < text->segment_count; i++)
		if (!text->segments[i].is_seen)
			return 0;
	return text->segment_count != 0;
}

static int all_are_unwritten(const struct pristine *pristine,
			     const struct shared_text *text)
{
	for (uint32_t i = 0; i < text->segment_count; i++)
		if (!pristine_is_unwritten(
			    pristine,
			    &(struct pc_range){ text->segments[i].start,
						text->segments[i].end }))
			return 0;
	return 1;
}

/*
 * Sets is_ready for modules whose segments are mapped as expected and whose
 * pages the program has not written to.
 */
static int find_ready(void *argument)
{
	struct pristine pristine = { 0 };
	int err = see_mappings();

	if (err)
		return err;
	pristine.pagemap = proc_open_own("pagemap", O_RDONLY);
	if (pristine.pagemap < 0)
		return pristine.pagemap;
	for (uint32_t i = 0; i < shared_texts.count; i++) {
		struct shared_text *text = &shared_texts.items[i];

		text->is_ready = all_are_seen(text) &&
				 all_are_unwritten(&pristine, text);
	}
	sys_close(pristine.pagemap);
	return 0;
}

static struct shared_text *find_with(const struct wire_text *text)
{
	for (uint32_t i = 0; i < shared_texts.count; i++)
		if (shared_text_has(&shared_texts.items[i].image, text))
			return &shared_texts.items[i];
	return NULL;
}

/* Caches the last match, because texts of a module mostly follow each other. */
static void count_texts(void)
{
	uint64_t count;
	const struct wire_text *texts = journal_texts(&count);
	struct shared_text *last = NULL;

	for (uint32_t i = 0; i < shared_texts.count; i++)
		shared_texts.items[i].found_count = 0;
	for (uint64_t i = 0; i < count; i++) {
		if (!last || !shared_text_has(&last->image, &texts[i]))
			last = find_with(&texts[i]);
		if (last)
			last->found_count++;
	}
}

static void expect_none(void)
{
	for (uint32_t i = 0; i < shared_texts.count; i++)
		shared_texts.items[i].is_ready = 0;
}

/* ---- Moving ---- */

static int is_mapped(uint64_t at)
{
	return sys_call(SYS_msync, (long)at, PAGE_BYTES, MS_ASYNC, 0, 0, 0) !=
	       -ENOMEM;
}

static long move(uint64_t from, uint64_t to, uint64_t bytes)
{
	return sys_call(SYS_mremap, (long)from, (long)bytes, (long)bytes,
			MREMAP_MAYMOVE | MREMAP_FIXED, (long)to, 0);
}

static void *take_reserve(void)
{
	char *reserve = sys_map_private(RESERVE_BYTES);

	if (sys_failed(reserve))
		return NULL;
	for (uint64_t at = 0; at < RESERVE_BYTES; at += PAGE_BYTES)
		reserve[at] = 1;
	return reserve;
}

static void release_reserve(void **reserve)
{
	if (*reserve)
		sys_munmap(*reserve, RESERVE_BYTES);
	*reserve = NULL;
}

/*
 * Moves the new mapping at *ahead over the segment. The kernel checks the limit
 * of mappings before it unmaps the target. If the kernel then lacks memory for
 * its own structures, the reserve is freed and the move is tried again.
 */
static int move_over(uint64_t *ahead, const struct shared_segment *segment,
		     void **reserve)
{
	const uint64_t bytes = segment->end - segment->start;
	int err = sys_mprotect((void *)*ahead, bytes, segment->protection);

	for (int i = 0; !err && i < ATTEMPTS; i++) {
		const long moved = move(*ahead, segment->start, bytes);

		if (moved == (long)segment->start) {
			*ahead = 0;
			return 0;
		}
		if (is_mapped(segment->start))
			return (int)moved;
		release_reserve(reserve);
	}
	return err ? err : -ENOMEM;
}

static void map_hooked(struct shared_text *text, void **reserve)
{
	for (uint32_t i = 0; i < text->segment_count; i++) {
		struct shared_segment *segment = &text->segments[i];

		if (!segment->is_shared && segment->hooked_at &&
		    !move_over(&segment->hooked_at, segment, reserve))
			segment->is_shared = 1;
	}
}

static void map_own(struct shared_text *text, void **reserve)
{
	for (uint32_t i = 0; i < text->segment_count; i++) {
		struct shared_segment *segment = &text->segments[i];

		if (segment->is_shared && segment->is_seen && segment->own_at &&
		    !move_over(&segment->own_at, segment, reserve))
			segment->is_shared = 0;
	}
}

/*
 * Calls map() for each module for which may_move() holds. Returns 0 or -ENOMEM.
 */
static int move_each(int (*may_move)(const struct shared_text *text),
		     void (*map)(struct shared_text *text, void **reserve))
{
	void *reserve = take_reserve();

	if (!reserve)
		return -ENOMEM;
	for (uint32_t i = 0; i < shared_texts.count; i++)
		if (may_move(&shared_texts.items[i]))
			map(&shared_texts.items[i], &reserve);
	release_reserve(&reserve);
	return 0;
}

/* ---- While all threads are stopped ---- */

void shared_texts_check(void)
{
	expect_none();
	if (!shared_texts.count || apart_call_in_task(find_ready, NULL))
		return;
	count_texts();
	for (uint32_t i = 0; i < shared_texts.count; i++) {
		struct shared_text *text = &shared_texts.items[i];

		text->is_ready &= !shared_text_is_in(text) &&
				  text->found_count == text->text_count;
	}
}

static int is_ready(const struct shared_text *text)
{
	return text->is_ready;
}

static int map_ready(void *argument)
{
	return move_each(is_ready, map_hooked);
}

uint64_t shared_texts_map(void)
{
	uint64_t count = 0;

	if (!shared_texts.count || apart_call_in_task(map_ready, NULL))
		return 0;
	for (uint32_t i = 0; i < shared_texts.count; i++)
		for (uint32_t k = 0; k < SHARED_SEGMENTS_MAX; k++)
			count += shared_texts.items[i].segments[k].is_shared !=
				 0;
	return count;
}

/*
 * Returns whether the module's code contains its hooks and no other changes,
 * because it was not written to since the hooks were written.
 */
static int has_only_hooks(const struct shared_text *text)
{
	return text->is_ready && !text->has_fronts;
}

static int unmap_unwritten(void *argument)
{
	const int err = find_ready(NULL);

	return err ? err : move_each(has_only_hooks, map_own);
}

/*
 * Returns whether two ranges of memory are equal. Either file may have been
 * shortened, so unreadable pages count as different.
 */
static int are_equal(uint64_t a, uint64_t b, uint64_t bytes)
{
	uint8_t one[COMPARED_BYTES], other[COMPARED_BYTES];

	for (uint64_t at = 0; at < bytes; at += sizeof(one))
		if (sys_read_memory(a + at, one, sizeof(one)) ||
		    sys_read_memory(b + at, other, sizeof(other)) ||
		    memcmp(one, other, sizeof(one)) != 0)
			return 0;
	return 1;
}

static int is_restored(const struct shared_segment *segment)
{
	const uint64_t bytes = segment->end - segment->start;

	return segment->is_shared && segment->is_seen && segment->own_at &&
	       !sys_mprotect((void *)segment->own_at, bytes,
			     segment->protection) &&
	       are_equal(segment->start, segment->own_at, bytes);
}

static int all_are_restored(const struct shared_text *text)
{
	for (uint32_t i = 0; i < text->segment_count; i++)
		if (text->segments[i].is_shared &&
		    !is_restored(&text->segments[i]))
			return 0;
	return 1;
}

/*
 * Forgets a module that was unloaded, or whose segment the program has changed.
 */
static void forget_unseen(struct shared_text *text)
{
	for (uint32_t i = 0; i < text->segment_count; i++)
		text->segments[i].is_shared &= text->segments[i].is_seen;
}

static int unmap_restored(void *argument)
{
	int err = see_mappings();

	if (err)
		return err;
	for (uint32_t i = 0; i < shared_texts.count; i++)
		forget_unseen(&shared_texts.items[i]);
	err = move_each(all_are_restored, map_own);
	if (!err)
		shared_texts_forget();
	return err;
}

void shared_texts_unmap(int is_afterwards)
{
	if (shared_texts.count)
		(void)apart_call_in_task(
			is_afterwards ? unmap_restored : unmap_unwritten, NULL);
}
