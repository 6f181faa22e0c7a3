/* SPDX-License-Identifier: MIT */
/* See tables.h. */
#include "preload/record/tables.h"

#include <stdatomic.h>

#include "preload/hot/sink.h"
#include "preload/record/blank.h"
#include "preload/record/stress.h"
#include "preload/record/table_alias.h"
#include "preload/record/table_copy.h"
#include "preload/record/tally_check.h"
#include "preload/sys/copy_bytes.h"

#define CONTEXT_STEP_BYTES 65536
/*
 * Arrays of notes of at least this size get huge pages, because they are read
 * in random order.
 */
#define HUGE_NOTES_BYTES (UINT64_C(4) << 20)
#define LARGE_LOG2       21 /* a table of 2^21 entries has 32 MiB */
#define VAST_LOG2        24 /* a table of 2^24 entries has 256 MiB */
/*
 * A smaller table grows because of strays while more than an eighth of its
 * entries are used. A table of 2^18 entries has 4 MiB.
 */
#define SPARSE_LOG2  18
#define SPARSE_SHIFT 3
/* after how many new contexts, or strays, a retired table is swept */
#define SWEEP_AFTER 1024
/* a table is reordered after this many strays for each of its entries */
#define REORDER_AFTER 16

/*
 * Returns how many entries of a table may be used before it grows: 13/16 of
 * them. The limit of a large table, which does not fit into the CPU's caches,
 * is 5/8: there each stray (a call that is counted away from its home entry)
 * costs a cache miss. It is 13/16 again if the sink has data for each entry, or
 * if the table is so large that one of twice the size would cost more.
 */
static uint64_t table_limit(unsigned int log2)
{
	if (log2 < LARGE_LOG2 || log2 >= VAST_LOG2 || rt.sink->entry_bytes)
		return (UINT64_C(13) << log2) / 16;
	return (UINT64_C(5) << log2) / 8;
}

/* Returns the size of the sink's data that precede a table. */
static uint64_t bytes_before(unsigned int log2)
{
	return (uint64_t)rt.sink->entry_bytes << log2;
}

/*
 * Returns the offset of a tally's first table from the start of the tally's own
 * chunk.
 */
static uint64_t first_table_offset(void)
{
	return WIRE_TALLY_TABLE_OFFSET + bytes_before(WIRE_TALLY_TABLE_LOG2);
}

static union note *map_notes(unsigned int log2)
{
	const uint64_t bytes = sizeof(union note) << log2;
	void *notes = sys_map_private(bytes);

	if (sys_failed(notes))
		return NULL;
	if (bytes >= HUGE_NOTES_BYTES)
		sys_madvise(notes, bytes, MADV_HUGEPAGE);
	return notes;
}

static void use_table(struct tally *tally, const struct mapping *mapping)
{
	tally->memory.active = *mapping;
	tally->table = mapping->table;
	tally->notes = mapping->notes;
	tally->mask = (UINT64_C(1) << mapping->log2) - 1;
	tally->limit = table_limit(mapping->log2);
}

static uint64_t mapping_ref(const struct tally *tally,
			    const struct mapping *mapping)
{
	uint64_t offset = mapping->chunk.head
				  ? mapping->chunk.offset +
					    sizeof(struct wire_chunk) +
					    bytes_before(mapping->log2)
				  : tally->memory.chunk + first_table_offset();

	return wire_table_ref(offset, mapping->log2);
}

/*
 * Empties a table that is no longer used. The memory stays mapped and reads as
 * empty, because a stub that was interrupted long ago may still read it. If the
 * sink has pointers before the table, the memory must never be reused.
 */
static void discard(struct tally *tally, struct part *part,
		    const struct mapping *mapping)
{
	struct tally_memory *memory = &tally->memory;

	if (!mapping->table)
		return;
	if (mapping->chunk.head && rt.sink->entry_bytes)
		part_retire(part, &mapping->chunk);
	else if (mapping->chunk.head)
		part_free(part, &mapping->chunk);
	else
		fill_zero((unsigned char *)mapping->table -
				  bytes_before(mapping->log2),
			  bytes_before(mapping->log2) +
				  (sizeof(struct wire_count) << mapping->log2));
	table_alias_blank(mapping);
	sys_madvise(mapping->notes, sizeof(union note) << mapping->log2,
		    MADV_DONTNEED);
	if (memory->left_count < TALLY_LEFT_MAX)
		memory->left[memory->left_count++] =
			(struct notes_left){ mapping->notes, mapping->log2 };
}

/*
 * Maps the notes of a table that is in a new chunk, and an alias of the table
 * if it needs one.
 */
static int map_beside(const struct tally *tally, const struct chunk *chunk,
		      struct mapping *mapping)
{
	int err;

	mapping->notes = map_notes(mapping->log2);
	if (!mapping->notes)
		return -ENOMEM;
	err = table_alias_map(mapping, chunk, tally->memory.reach);
	if (err)
		sys_munmap(mapping->notes, sizeof(union note) << mapping->log2);
	return err;
}

static int map_table(const struct tally *tally, struct part *part,
		     unsigned int log2, struct mapping *out)
{
	uint64_t bytes = bytes_before(log2) +
			 (sizeof(struct wire_count) << log2) +
			 sizeof(struct wire_count);
	int err = blank_reserve(log2);

	if (!err)
		err = part_alloc(part, WIRE_TABLE, tally->number, bytes,
				 &out->chunk);
	if (err)
		return err;
	out->log2 = log2;
	out->table = (struct wire_count *)((unsigned char *)chunk_payload(
						   &out->chunk) +
					   bytes_before(log2));
	err = map_beside(tally, &out->chunk, out);
	if (err)
		part_free(part, &out->chunk);
	return err;
}

/*
 * Returns whether a Java method of the calling thread is adding to one of the
 * thread's tables. The method has called the present function through the JVM,
 * or a signal has interrupted the method.
 */
static int is_in_use(void)
{
	return hot.java_counting != 0;
}

void tally_free_held(struct tally *tally, struct part *part)
{
	if (is_in_use())
		return;
	while (tally->memory.held_count) {
		const struct mapping *held =
			&tally->memory.held[--tally->memory.held_count];

		table_add_late(held, &tally->memory.active);
		discard(tally, part, held);
	}
}

/*
 * Frees the retired table, after moving late counts in it to the active table.
 */
void tally_sweep(struct tally *tally, struct part *part)
{
	tally_free_held(tally, part);
	if (!tally->memory.retired.table || is_in_use())
		return;
	table_add_late(&tally->memory.retired, &tally->memory.active);
	atomic_store(&tally->wire->retired, 0);
	discard(tally, part, &tally->memory.retired);
	tally->memory.retired = (struct mapping){ 0 };
}

/*
 * Returns the entry of the table to which the thread's Java method is adding,
 * or NULL. The method may have read the entry's count already, and then stores
 * that count plus one, whatever the entry contains.
 */
static struct wire_count *counting_in(const struct mapping *mapping)
{
	const uint64_t at = hot.java_counting;
	const uint64_t start = (uintptr_t)mapping->table;

	if (at < start || at - start >= sizeof(*mapping->table)
						<< mapping->log2)
		return NULL;
	return (struct wire_count *)(uintptr_t)at;
}

/*
 * Subtracts the calls of counting_in(from), which were copied, from their copy.
 * zero() leaves them in `from`, and table_add_late() moves them after the
 * method has stored the count.
 */
static void leave_counting(const struct mapping *from, struct mapping *to)
{
	const struct wire_count *entry = counting_in(from);
	const struct view view = { .table = to->table,
				   .mask = (UINT64_C(1) << to->log2) - 1 };
	struct wire_count *copy;

	if (!entry)
		return;
	copy = view_find(&view, entry->id);
	if (copy->id)
		copy->field -= wire_calls(entry);
}

/* Zeroes all counts of the table but that of counting_in(). */
static void zero(const struct mapping *mapping)
{
	struct wire_count *entry = counting_in(mapping);
	const uint64_t field = entry ? entry->field : 0;

	table_zero(mapping);
	if (entry)
		entry->field = field;
}

/*
 * Another table is about to be retired. Keeps the present retired table in
 * held[], because an interrupted slow path may have claimed an entry in it.
 * Readers do not see calls that are added to a held table until that slow path
 * has ended.
 */
static void hold_retired(struct tally *tally, struct mapping *built)
{
	if (!tally->memory.retired.table)
		return;
	table_add_late(&tally->memory.retired, built);
	leave_counting(&tally->memory.retired, built);
	atomic_store(&tally->wire->retired, 0);
	zero(&tally->memory.retired);
	tally->memory.held[tally->memory.held_count++] = tally->memory.retired;
	tally->memory.retired = (struct mapping){ 0 };
}

/*
 * Replaces the table by one of 2^log2 entries with the busiest contexts at
 * home. The recording is right at every step: the copy is complete before
 * `table` refers to it, and the old table is zeroed before `retired` refers to
 * it. Only late counts in a former retired table, and the count to which a Java
 * method is adding, are missing for a moment.
 */
static int rebuild_table(struct tally *tally, struct part *part,
			 unsigned int log2)
{
	struct mapping built = { 0 }, old;
	int err;

	if (tally->busy <= 1) /* 1: the caller's slow path */
		tally_sweep(tally, part);
	if (tally->memory.held_count == TALLY_HELD_MAX)
		return -ENOSPC;
	old = tally->memory.active;
	err = map_table(tally, part, log2, &built);
	if (err)
		return err;
	table_copy(&old, &built);
	leave_counting(&old, &built);
	hold_retired(tally, &built);
	atomic_store_explicit(&tally->wire->table, mapping_ref(tally, &built),
			      memory_order_release);
	use_table(tally, &built);
	tally->used = built.used;
	zero(&old);
	tally->memory.retired = old;
	tally->memory.ripe_contexts = tally->wire->contexts + SWEEP_AFTER;
	tally->memory.is_settling = 1;
	atomic_store_explicit(&tally->wire->retired, mapping_ref(tally, &old),
			      memory_order_release);
	if (CLEW_STRESS)
		stress_note(tally_check(tally, part, 1));
	return 0;
}

/*
 * Lowers end_context, so that hot_make_room() is called, and the retired table
 * swept, after SWEEP_AFTER more contexts.
 */
static void limit_contexts(struct tally *tally)
{
	const uint64_t bytes = SWEEP_AFTER * sizeof(struct wire_context);

	tally->end_context = tally->memory.chunk_end;
	if (tally->memory.retired.table &&
	    tally->memory.chunk_end > tally->next_context + bytes)
		tally->end_context = tally->next_context + bytes;
}

/*
 * Returns whether the retired table may be swept: no interrupted slow path may
 * use it, and enough contexts were recorded since. An interrupted stub executes
 * the one instruction that adds to the table as soon as the signal handlers
 * above it have returned.
 */
static int is_ripe(const struct tally *tally)
{
	return tally->memory.retired.table &&
	       tally->busy <= 1 /* the caller's slow path */ &&
	       tally->wire->contexts >= tally->memory.ripe_contexts;
}

static int grow_table(struct tally *tally, struct part *part)
{
	int err = rebuild_table(tally, part, tally->memory.active.log2 + 1);

	if (err)
		return err;
	tally->memory.patience = REORDER_AFTER << tally->memory.active.log2;
	return 0;
}

static int use_context_chunk(struct tally *tally, struct part *part,
			     uint64_t bytes)
{
	struct chunk chunk;
	int err;

	err = part_alloc(part, WIRE_CONTEXTS, tally->number, bytes, &chunk);
	if (err)
		return err;
	bytes = chunk.bytes - sizeof(struct wire_chunk);
	bytes -= bytes % sizeof(struct wire_context);
	tally->next_context = (uintptr_t)chunk_payload(&chunk);
	tally->memory.chunk_end = tally->next_context + bytes;
	tally->end_context = tally->memory.chunk_end;
	tally->memory.context_bytes += bytes;
	return 0;
}

static int grow_contexts(struct tally *tally, struct part *part)
{
	uint64_t bytes = tally->memory.context_bytes / 64;

	if (bytes < CONTEXT_STEP_BYTES)
		bytes = CONTEXT_STEP_BYTES;
	return use_context_chunk(tally, part,
				 bytes - sizeof(struct wire_chunk));
}

int tally_grow(struct tally *tally, struct part *part)
{
	int err = 0;

	if (tally->used >= tally->limit)
		err = grow_table(tally, part);
	if (!err && tally->next_context >= tally->end_context) {
		if (is_ripe(tally))
			tally_sweep(tally, part);
		if (tally->next_context >= tally->memory.chunk_end)
			err = grow_contexts(tally, part);
	}
	limit_contexts(tally);
	return err;
}

/*
 * Allocates a chunk for this many contexts unless the present chunk has room
 * for them.
 */
static int reserve_contexts(struct tally *tally, struct part *part,
			    uint64_t contexts)
{
	const uint64_t bytes = contexts * sizeof(struct wire_context);

	tally->end_context = tally->memory.chunk_end;
	if (tally->next_context + bytes <= tally->memory.chunk_end)
		return 0;
	return use_context_chunk(tally, part, bytes);
}

int tally_reserve(struct tally *tally, struct part *part, uint64_t contexts)
{
	unsigned int log2 = tally->memory.active.log2;
	int err = 0;

	while (table_limit(log2) < tally->used + contexts)
		log2++;
	if (tally->busy)
		return -EBUSY;
	if (log2 > tally->memory.active.log2)
		err = rebuild_table(tally, part, log2);
	return err ? err : reserve_contexts(tally, part, contexts);
}

uint64_t tally_chunk_bytes(void)
{
	return WIRE_TALLY_BYTES + bytes_before(WIRE_TALLY_TABLE_LOG2);
}

int tally_first_table(struct tally *tally, struct wire_chunk *chunk)
{
	struct mapping first = { .log2 = WIRE_TALLY_TABLE_LOG2 };
	const struct chunk own = { .head = chunk,
				   .bytes = tally_chunk_bytes() };
	int err;

	first.table = (struct wire_count *)((unsigned char *)chunk +
					    first_table_offset());
	err = map_beside(tally, &own, &first);
	if (err)
		return err;
	tally->memory.patience = REORDER_AFTER << first.log2;
	use_table(tally, &first);
	atomic_store_explicit(&tally->wire->table, mapping_ref(tally, &first),
			      memory_order_release);
	return 0;
}

/*
 * Returns whether the table should grow after many strays. A program that calls
 * many functions in turn spreads its calls over many contexts. No order of a
 * crowded table then has most calls at home.
 */
static int is_crowded(const struct tally *tally)
{
	const unsigned int log2 = tally->memory.active.log2;

	return log2 < SPARSE_LOG2 && !rt.sink->entry_bytes &&
	       tally->used > UINT64_C(1) << log2 >> SPARSE_SHIFT;
}

/*
 * Called after many strays (calls whose context is not at its home in the
 * table). The first call after the table was rebuilt sweeps the retired table.
 * A later call rebuilds the table so that the busiest contexts get their home
 * entries, in a larger table if the table is crowded. If this does not reduce
 * the number of strays, the interval between calls grows.
 */
int32_t tally_reorder(struct tally *tally, struct part *part)
{
	const unsigned int log2 = tally->memory.active.log2;

	if (tally->busy || is_in_use())
		return SWEEP_AFTER;
	if (tally->memory.is_settling) {
		tally->memory.is_settling = 0;
		tally_sweep(tally, part);
		return tally->memory.patience;
	}
	if (is_crowded(tally) && !grow_table(tally, part))
		return SWEEP_AFTER;
	if (tally->memory.patience < INT32_MAX / 2)
		tally->memory.patience *= 2;
	return rebuild_table(tally, part, log2) ? tally->memory.patience
						: SWEEP_AFTER;
}

void tally_separate_from_parent(const struct tally *tally)
{
	table_alias_blank(&tally->memory.active);
	table_alias_blank(&tally->memory.retired);
	for (uint32_t i = 0; i < tally->memory.held_count; i++)
		table_alias_blank(&tally->memory.held[i]);
}

static void unmap_notes(union note *notes, unsigned int log2)
{
	if (notes)
		sys_munmap(notes, sizeof(union note) << log2);
}

void tally_unmap(struct tally *tally)
{
	const struct tally_histograms *histograms = &tally->histograms;
	struct tally_memory *memory = &tally->memory;

	unmap_notes(memory->active.notes, memory->active.log2);
	unmap_notes(memory->retired.notes, memory->retired.log2);
	for (uint32_t i = 0; i < memory->held_count; i++)
		unmap_notes(memory->held[i].notes, memory->held[i].log2);
	for (uint32_t i = 0; i < memory->left_count; i++)
		unmap_notes(memory->left[i].notes, memory->left[i].log2);
	if (histograms->slots)
		sys_munmap(histograms->slots,
			   histograms->room * sizeof(*histograms->slots));
}
