/* SPDX-License-Identifier: MIT */
/* See inheritance.h. */
#include "preload/record/inheritance.h"

#include <errno.h>

#include "preload/record/numbers.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/sys.h"

#define ROOM_FIRST (WIRE_PAGE_BYTES / sizeof(struct inherited_chunk))

static const struct wire_module *module_of(const struct wire_chunk *head)
{
	return head->kind == WIRE_MODULE ? (const void *)(head + 1) : NULL;
}

/* ---- The list ---- */

static int grow(struct inheritance *inherited)
{
	const uint32_t room =
		inherited->room ? 2 * inherited->room : ROOM_FIRST;
	struct inherited_chunk *grown = sys_map_private(room * sizeof(*grown));

	if (sys_failed(grown))
		return -ENOMEM;
	copy_bytes(grown, inherited->items, inherited->count * sizeof(*grown));
	if (inherited->room)
		sys_munmap(inherited->items, inherited->room * sizeof(*grown));
	inherited->items = grown;
	inherited->room = room;
	return 0;
}

/*
 * Keeps only those items of the parent's list whose chunks the parent has not
 * copied.
 */
static void keep_former(struct inheritance *inherited)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < inherited->count; i++)
		if (inherited->items[i].head)
			inherited->items[kept++] = inherited->items[i];
	inherited->count = kept;
}

struct inheriting {
	struct inheritance *inherited;
	const struct wire_header *parent;
	int (*is_wanted)(const struct wire_chunk *chunk);
};

static int add(void *context, const struct chunk *chunk)
{
	const struct inheriting *inheriting = context;
	struct inheritance *inherited = inheriting->inherited;

	/* `used` is 0 while the owner fills the chunk */
	if (!atomic_load_explicit(&chunk->head->used, memory_order_acquire) ||
	    !inheriting->is_wanted(chunk->head))
		return 0;
	if (inherited->count == inherited->room && grow(inherited))
		return -ENOMEM;
	inherited->items[inherited->count++] = (struct inherited_chunk){
		.head = chunk->head,
		.offset = chunk->offset,
		.start_ns = inheriting->parent->start_ns,
		.pid = inheriting->parent->pid,
		.seq = inheriting->parent->seq,
	};
	return 0;
}

/* ---- The records by which a reader finds inherited chunks ---- */

static void describe(const struct inherited_chunk *item,
		     struct wire_inherited *record)
{
	const struct wire_module *module = module_of(item->head);

	record->kind = item->head->kind;
	record->pid = item->pid;
	record->seq = item->seq;
	record->start_ns = item->start_ns;
	record->offset = item->offset;
	record->used = item->head->used;
	record->first_function = module ? module->first_function : 0;
	record->unloaded_ns = module ? numbers_unloaded_ns(module) : 0;
}

static int record(struct part *part)
{
	struct inheritance *inherited = &part->inherited;
	const uint64_t bytes = inherited->count * sizeof(struct wire_inherited);
	struct wire_inherited *records;
	int err = part_alloc(part, WIRE_INHERITED, 0, bytes, &inherited->chunk);

	if (err)
		return err;
	records = chunk_payload(&inherited->chunk);
	for (uint32_t i = 0; i < inherited->count; i++)
		describe(&inherited->items[i], &records[i]);
	atomic_store_explicit(&inherited->chunk.head->used, bytes,
			      memory_order_release);
	return 0;
}

int inheritance_take(struct part *part, const struct part *parent,
		     int (*is_wanted)(const struct wire_chunk *chunk))
{
	struct inheritance *inherited = &part->inherited;
	const struct inheriting inheriting = { .inherited = inherited,
					       .parent = parent->header,
					       .is_wanted = is_wanted };
	int err;

	if (!part_file_is_beside(&part->file, &parent->file))
		return -ENOTSUP;
	*inherited = (struct inheritance){ .items = parent->inherited.items,
					   .count = parent->inherited.count,
					   .room = parent->inherited.room };
	keep_former(inherited);
	err = part_each_chunk(parent, WIRE_PROCESS, add, (void *)&inheriting);
	if (!err)
		err = part_each_chunk(parent, WIRE_MODULE, add,
				      (void *)&inheriting);
	if (!err && inherited->count)
		err = record(part);
	if (err)
		*inherited = (struct inheritance){ 0 };
	return err;
}

/* ---- Releasing the rest of the parent's part ---- */

static void abandon_segment(const struct segment *segment, uint64_t from,
			    const struct inheritance *inherited)
{
	for (uint32_t i = 0; i < inherited->count; i++) {
		const struct wire_chunk *head = inherited->items[i].head;
		const uint64_t at = (uintptr_t)head - (uintptr_t)segment->at;

		if (at >= segment->bytes)
			continue;
		part_file_blank_stretch(segment, from, at);
		from = at + head->bytes;
	}
	part_file_blank_stretch(segment, from, segment->bytes);
}

void inheritance_abandon_rest(struct part *parent, int needs_header,
			      const struct part *child)
{
	for (uint32_t i = 0; i < parent->file.segment_count; i++)
		abandon_segment(&parent->file.segments[i],
				!i && needs_header ? WIRE_HEADER_BYTES : 0,
				&child->inherited);
	fill_zero(parent, sizeof(*parent));
}

int inheritance_each_chunk(const struct part *part, uint32_t kind,
			   part_visitor visit, void *context)
{
	const struct inheritance *inherited = &part->inherited;
	int result = 0;

	for (uint32_t i = 0; i < inherited->count && !result; i++) {
		const struct inherited_chunk *item = &inherited->items[i];
		const struct chunk chunk = {
			.head = item->head,
			.offset = item->offset,
			.bytes = item->head ? item->head->bytes : 0,
		};

		if (chunk.head && chunk.head->kind == kind)
			result = visit(context, &chunk);
	}
	return result;
}

/* ---- Copies ---- */

/*
 * Copies an inherited chunk to the part, and then marks it as no longer
 * inherited. A reader that reads the part in between finds the module twice,
 * and counts it once.
 */
static int settle(struct part *part, uint32_t i)
{
	struct inherited_chunk *item = &part->inherited.items[i];
	struct wire_inherited *records = chunk_payload(&part->inherited.chunk);
	const struct chunk from = { .head = item->head };
	const struct wire_module *module = module_of(item->head);
	struct wire_module *own;
	struct chunk copy;
	int err = part_copy_chunk(part, &from, &copy);

	if (err)
		return err;
	own = chunk_payload(&copy);
	if (module) {
		own->unloaded_ns = records[i].unloaded_ns;
		numbers_set_module(own->first_function, own);
	}
	atomic_store(&records[i].kind, WIRE_FREE);
	item->head = NULL;
	return 0;
}

int inheritance_settle(struct part *part)
{
	struct inheritance *inherited = &part->inherited;
	uint64_t signals;
	int err = 0;

	if (!inherited->count)
		return 0;
	lock_acquire(&inherited->lock, &signals);
	for (uint32_t i = 0; i < inherited->count && !err; i++)
		if (inherited->items[i].head)
			err = settle(part, i);
	lock_release(&inherited->lock, &signals);
	return err;
}

void inheritance_forget(struct part *part)
{
	struct inheritance *inherited = &part->inherited;

	if (inherited->room)
		sys_munmap(inherited->items,
			   inherited->room * sizeof(*inherited->items));
	*inherited = (struct inheritance){ 0 };
}
