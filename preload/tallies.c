/* SPDX-License-Identifier: MIT */
#include "preload/tallies.h"

#include <sys/prctl.h>

#include "preload/cold.h"
#include "preload/hot/count.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/text.h"
#include "wire/id.h"

#define SLAB_BYTES          65536
#define CONTEXT_STEP_BYTES  65536
#define THREADS_CHUNK_BYTES (WIRE_PAGE_BYTES - sizeof(struct wire_chunk))
#define SWEEP_AFTER         1024 /* calls counted away from home */
#define REORDER_AFTER       16   /* the same, for each entry of the table */
#define ADOPTION_TRIES      8

/* The whole contexts that fit between a tally's head and its first table. */
#define TALLY_CONTEXTS_BYTES                                                   \
	((WIRE_TALLY_TABLE_OFFSET - sizeof(struct wire_chunk) -                \
	  sizeof(struct wire_tally)) /                                         \
	 sizeof(struct wire_context) * sizeof(struct wire_context))

/* Entries a table holds before it grows: 13/16 of them. */
static uint64_t table_limit(unsigned int log2)
{
	return (UINT64_C(13) << log2) / 16;
}

static union note *map_notes(unsigned int log2)
{
	void *notes = sys_map_private(sizeof(union note) << log2);

	return sys_failed(notes) ? NULL : notes;
}

static void use_table(struct tally *tally, const struct mapping *mapping)
{
	tally->active = *mapping;
	tally->table = mapping->table;
	tally->notes = mapping->notes;
	tally->mask = (UINT64_C(1) << mapping->log2) - 1;
	tally->limit = table_limit(mapping->log2);
}

static uint64_t mapping_ref(const struct tally *tally,
			    const struct mapping *mapping)
{
	uint64_t offset =
		mapping->chunk.head
			? mapping->chunk.offset + sizeof(struct wire_chunk)
			: tally->chunk + WIRE_TALLY_TABLE_OFFSET;

	return wire_table_ref(offset, mapping->log2);
}

/* The stubs of the calling thread count in this tally from now on. */
static void use_tally(struct tally *tally)
{
	hot.tally = tally;
	hot.mask = tally->mask * sizeof(struct wire_count);
	hot.table = tally->table;
}

/* ---- Growing ---- */

static void put_count(struct wire_count *table, union note *notes,
		      unsigned int log2, uint64_t id, uint64_t calls,
		      union note note)
{
	uint64_t mask = (UINT64_C(1) << log2) - 1;
	uint64_t i = id >> 4 & mask;

	while (table[i].id && table[i].id != id)
		i = (i + 1) & mask;
	table[i].id = id;
	table[i].calls += calls;
	notes[i] = note;
}

static uint64_t mean_calls(const struct mapping *mapping)
{
	uint64_t entries = UINT64_C(1) << mapping->log2, sum = 0;

	for (uint64_t i = 0; i < entries; i++)
		sum += mapping->table[i].calls;
	return sum / entries;
}

/* Add the counts of entries with at least `least` and less than `limit`. */
static void copy_counts(const struct mapping *from, struct mapping *to,
			uint64_t least, uint64_t limit)
{
	uint64_t entries = UINT64_C(1) << from->log2;

	for (uint64_t i = 0; i < entries; i++) {
		const struct wire_count *entry = &from->table[i];

		if (entry->id && entry->calls >= least && entry->calls < limit)
			put_count(to->table, to->notes, to->log2, entry->id,
				  entry->calls, from->notes[i]);
	}
}

/* The busiest first, so that they get the places where stubs look. */
static void copy_busiest_first(const struct mapping *from, struct mapping *to)
{
	uint64_t mean = mean_calls(from) + 1;

	copy_counts(from, to, 16 * mean, UINT64_MAX);
	copy_counts(from, to, mean, 16 * mean);
	copy_counts(from, to, 0, mean);
}

static void zero_counts(const struct mapping *mapping)
{
	for (uint64_t i = 0; i < UINT64_C(1) << mapping->log2; i++)
		mapping->table[i].calls = 0;
}

/*
 * Memory of a table that nobody should use any more stays mapped and reads as
 * empty: a stub that a signal interrupted long ago may still look there.
 */
static void discard(struct part *part, const struct mapping *mapping)
{
	if (!mapping->table)
		return;
	if (mapping->chunk.head)
		part_free(part, &mapping->chunk);
	sys_madvise(mapping->notes, sizeof(union note) << mapping->log2,
		    MADV_DONTNEED);
}

static uint64_t count_used(const struct mapping *mapping)
{
	uint64_t used = 0;

	for (uint64_t i = 0; i < UINT64_C(1) << mapping->log2; i++)
		used += mapping->table[i].id != 0;
	return used;
}

static int map_table(struct part *part, uint32_t owner, unsigned int log2,
		     struct mapping *out)
{
	uint64_t bytes =
		(sizeof(struct wire_count) << log2) + sizeof(struct wire_count);
	int err = part_alloc(part, WIRE_TABLE, owner, bytes,
			     bytes + WIRE_PAGE_BYTES, &out->chunk);

	if (err)
		return err;
	out->log2 = log2;
	out->table = chunk_payload(&out->chunk);
	out->notes = map_notes(log2);
	if (out->notes)
		return 0;
	part_free(part, &out->chunk);
	return -ENOMEM;
}

/*
 * Let go of the table that was left last. Counts that interrupted stubs still
 * added there are moved first.
 */
static void sweep_retired(struct tally *tally, struct part *part)
{
	if (!tally->retired.table)
		return;
	copy_counts(&tally->retired, &tally->active, 1, UINT64_MAX);
	atomic_store(&tally->wire->retired, 0);
	discard(part, &tally->retired);
	tally->retired = (struct mapping){ 0 };
}

/*
 * A new table of 2^log2 entries with the busiest contexts at home. The
 * recording is right at every step: the copy is complete before `table` names
 * it, and what is left in the old one is zeroed before `retired` does.
 */
static int rebuild_table(struct tally *tally, struct part *part,
			 unsigned int log2)
{
	struct mapping built = { 0 }, old;
	int err;

	sweep_retired(tally, part);
	old = tally->active;
	err = map_table(part, tally->number, log2, &built);
	if (err)
		return err;
	copy_busiest_first(&old, &built);
	atomic_store_explicit(&tally->wire->table, mapping_ref(tally, &built),
			      memory_order_release);
	use_table(tally, &built);
	tally->used = count_used(&built);
	zero_counts(&old);
	tally->retired = old;
	atomic_store_explicit(&tally->wire->retired, mapping_ref(tally, &old),
			      memory_order_release);
	return 0;
}

static int grow_table(struct tally *tally, struct part *part)
{
	int err = rebuild_table(tally, part, tally->active.log2 + 1);

	if (err)
		return err;
	tally->patience = REORDER_AFTER << tally->active.log2;
	hot.strays_left = SWEEP_AFTER;
	return 0;
}

/*
 * So many calls were counted away from home. First time after a rebuild: the
 * old table has had its time. Later: the busiest should move home; if that
 * does not help, it is tried less and less often.
 */
void hot_reorder(void)
{
	struct tally *tally = hot.tally;
	struct part *part = &rt.cold->part;
	uint64_t signals;

	sys_block_signals(&signals);
	if (tally->retired.table) {
		sweep_retired(tally, part);
		hot.strays_left = tally->patience;
	} else {
		if (tally->patience < INT32_MAX / 2)
			tally->patience *= 2;
		hot.strays_left = rebuild_table(tally, part, tally->active.log2)
					  ? tally->patience
					  : SWEEP_AFTER;
		use_tally(tally);
	}
	sys_restore_signals(&signals);
}

static int grow_contexts(struct tally *tally, struct part *part)
{
	uint64_t bytes = tally->context_bytes / 64;
	struct chunk chunk;
	int err;

	if (bytes < CONTEXT_STEP_BYTES)
		bytes = CONTEXT_STEP_BYTES;
	bytes -= sizeof(struct wire_chunk);
	err = part_alloc(part, WIRE_CONTEXTS, tally->number, bytes,
			 bytes + tally->context_bytes / 2, &chunk);
	if (err)
		return err;
	bytes = chunk.bytes - sizeof(struct wire_chunk);
	bytes -= bytes % sizeof(struct wire_context);
	tally->next_context = (uintptr_t)chunk_payload(&chunk);
	tally->end_context = tally->next_context + bytes;
	tally->context_bytes += bytes;
	return 0;
}

static int grow(struct tally *tally, struct part *part)
{
	int err = 0;

	if (tally->used >= tally->limit)
		err = grow_table(tally, part);
	if (!err && tally->next_context >= tally->end_context) {
		sweep_retired(tally, part);
		err = grow_contexts(tally, part);
	}
	return err;
}

/* ---- Attaching a thread ---- */

static struct tally *take_memory(struct tallies *tallies)
{
	struct tally *tally;

	if (tallies->slab_left < sizeof(*tally)) {
		void *slab = sys_map_private(SLAB_BYTES);

		if (sys_failed(slab))
			return NULL;
		tallies->slab = slab;
		tallies->slab_left = SLAB_BYTES;
	}
	tally = (struct tally *)tallies->slab;
	tallies->slab += sizeof(*tally);
	tallies->slab_left -= sizeof(*tally);
	return tally;
}

static struct tally *make_tally(struct tallies *tallies)
{
	const uint64_t bytes = WIRE_TALLY_BYTES - sizeof(struct wire_chunk);
	struct tally *tally = take_memory(tallies);
	struct mapping first = { .log2 = WIRE_TALLY_TABLE_LOG2 };
	struct chunk chunk;

	if (!tally || part_alloc(tallies->part, WIRE_TALLY, tallies->count,
				 bytes, bytes, &chunk))
		return NULL;
	first.notes = map_notes(first.log2);
	if (!first.notes)
		return NULL;
	first.table = (struct wire_count *)((unsigned char *)chunk.head +
					    WIRE_TALLY_TABLE_OFFSET);
	tally->wire = chunk_payload(&chunk);
	tally->chunk = chunk.offset;
	tally->number = tallies->count++;
	tally->patience = REORDER_AFTER << first.log2;
	tally->next_context = (uintptr_t)(tally->wire + 1);
	tally->end_context = tally->next_context + TALLY_CONTEXTS_BYTES;
	use_table(tally, &first);
	atomic_store_explicit(&tally->wire->table, mapping_ref(tally, &first),
			      memory_order_release);
	tally->next = tallies->first;
	tallies->first = tally;
	return tally;
}

/* A tally whose owner is gone, or NULL. */
static struct tally *adopt_tally(struct tallies *tallies)
{
	int pid = sys_getpid();

	for (int tries = 0; tries < ADOPTION_TRIES; tries++) {
		struct tally *tally = tallies->suspect;

		if (!tally)
			tally = tallies->first;
		tallies->suspect = tally->next;
		if (!sys_thread_exists(pid, (int)tally->tid))
			return tally;
	}
	return NULL;
}

static struct wire_thread *take_thread_record(struct tallies *tallies)
{
	const uint32_t room = THREADS_CHUNK_BYTES / sizeof(struct wire_thread);

	if (!tallies->threads_left) {
		if (part_alloc(tallies->part, WIRE_THREADS, 0,
			       THREADS_CHUNK_BYTES, THREADS_CHUNK_BYTES,
			       &tallies->threads))
			return NULL;
		tallies->threads_left = room;
	}
	tallies->threads.head->used += sizeof(struct wire_thread);
	return (struct wire_thread *)chunk_payload(&tallies->threads) +
	       (room - tallies->threads_left--);
}

static void get_own_name(char name[16])
{
	sys_call(SYS_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0);
}

static void record_thread(struct tallies *tallies, struct tally *tally)
{
	struct wire_thread *thread = take_thread_record(tallies);

	tally->tid = (uint32_t)sys_gettid();
	tally->thread = thread;
	if (!thread)
		return;
	thread->tally = tally->number;
	thread->start_ns = sys_clock_ns(CLOCK_REALTIME);
	get_own_name(thread->name);
	atomic_store_explicit(&thread->tid, tally->tid, memory_order_release);
}

static int attach(struct tallies *tallies)
{
	struct tally *tally = NULL;
	uint64_t signals;

	lock_acquire(&tallies->lock, &signals);
	if (tallies->count >= TALLY_OWN_MAX)
		tally = adopt_tally(tallies);
	if (!tally)
		tally = make_tally(tallies);
	if (tally)
		record_thread(tallies, tally);
	lock_release(&tallies->lock, &signals);
	if (!tally)
		return -ENOSPC;
	hot.random =
		(sys_clock_ns(CLOCK_MONOTONIC) ^ (uint64_t)tally->tid << 40) *
			ID_MULTIPLIER |
		1;
	hot_schedule_verify();
	hot.strays_left = tally->patience;
	use_tally(tally);
	return 0;
}

int hot_make_room(void)
{
	struct cold *cold = rt.cold;
	uint64_t signals;
	int err = 0;

	sys_block_signals(&signals);
	if (!hot.tally)
		err = attach(&cold->tallies);
	if (!err)
		err = grow(hot.tally, &cold->part);
	if (!err)
		use_tally(hot.tally);
	sys_restore_signals(&signals);
	return err;
}

/* ---- fork ---- */

/*
 * The contexts that the thread is in were recorded by the parent: record them
 * here too, outermost last, so that what the child calls has its ancestors.
 */
static void inherit_contexts(const struct tally *old)
{
	uint64_t id = hot.id;

	while (id != ID_ROOT) {
		union note note = tally_note(old, id);

		if (!note.word)
			return;
		do
			if (hot_make_room())
				return;
		while (!hot_record(hot.tally, id, note, 0, 0));
		rt.header->contexts++;
		id = id_pop(id, id_key(note.function));
	}
}

void tallies_suspend(void)
{
	hot.table = hot_empty_table;
	hot.mask = 0;
}

void tallies_resume(void)
{
	if (hot.tally)
		use_tally(hot.tally);
}

void tallies_reset_after_fork(struct tallies *tallies, struct part *part)
{
	const struct tally *old = hot.tally;

	*tallies = (struct tallies){ .part = part };
	hot.tally = NULL;
	tallies_suspend();
	if (old)
		inherit_contexts(old);
}

/* ---- Names ---- */

void tallies_thread_renamed(void)
{
	if (hot.tally && hot.tally->thread)
		get_own_name(hot.tally->thread->name);
}

static void refresh_name(struct wire_thread *thread)
{
	char path[64], name[sizeof(thread->name)];
	struct text text = text_in(path, sizeof(path));
	long length;
	int fd;

	text_string(&text, "/proc/self/task/");
	text_number(&text, thread->tid);
	text_string(&text, "/comm");
	fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	length = sys_read(fd, name, sizeof(name));
	if (length > 0) {
		name[length - 1] = '\0'; /* for the newline */
		copy_bytes(thread->name, name, (size_t)length);
	}
	sys_close(fd);
}

void tallies_refresh_names(struct tallies *tallies)
{
	uint64_t signals;

	lock_acquire(&tallies->lock, &signals);
	for (struct tally *t = tallies->first; t; t = t->next)
		if (t->thread)
			refresh_name(t->thread);
	lock_release(&tallies->lock, &signals);
}
