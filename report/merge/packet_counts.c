/* SPDX-License-Identifier: MIT */
#include "report/merge/packet_counts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "wire/id.h"

enum { TABLE_LOG2 = 12 };

/* ---- Tables ---- */

static size_t home_of(const struct packet_table *table, uint64_t id,
		      uint32_t tally)
{
	const uint64_t key = id ^ tally * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(key * UINT64_C(0xd1342543de82ef95) >>
			(64 - table->log2));
}

static struct packet_count *look(const struct packet_table *table, uint64_t id,
				 uint32_t tally)
{
	const size_t mask = ((size_t)1 << table->log2) - 1;
	size_t i = home_of(table, id, tally);

	while (table->entries[i].id &&
	       (table->entries[i].id != id || table->entries[i].tally != tally))
		i = (i + 1) & mask;
	return &table->entries[i];
}

static void table_init(struct packet_table *table, unsigned int log2)
{
	*table = (struct packet_table){ .log2 = log2 };
	table->entries =
		memory_zeroed((size_t)1 << log2, sizeof(*table->entries));
}

static void grow(struct packet_table *table)
{
	struct packet_table grown;

	table_init(&grown, table->log2 + 1);
	grown.used = table->used;
	for (size_t i = 0; i < (size_t)1 << table->log2; i++) {
		const struct packet_count *entry = &table->entries[i];

		if (entry->id)
			*look(&grown, entry->id, entry->tally) = *entry;
	}
	free(table->entries);
	*table = grown;
}

/* The entry of a context, made if need be. Valid until the next one is made. */
static struct packet_count *enter(struct packet_table *table, uint64_t id,
				  uint32_t tally, uint32_t function)
{
	struct packet_count *entry = look(table, id, tally);

	if (entry->id)
		return entry;
	if (4 * table->used >= (size_t)3 << table->log2) {
		grow(table);
		entry = look(table, id, tally);
	}
	table->used++;
	*entry = (struct packet_count){ .id = id,
					.tally = tally,
					.function = function };
	return entry;
}

/* ---- Workers ---- */

/* What all workers share. */
struct packet_work {
	const struct trace *trace;
	const size_t *order;
	_Atomic size_t next;
};

struct packet_worker {
	struct packet_work *work;
	pthread_t thread;
	int is_running;
	struct packet_table table;
	uint64_t *ids; /* by depth, of the functions that are running */
	size_t room;
	uint64_t calls, verified, mismatched, bad_words;
	uint32_t words[PACKET_WORDS_MAX];
};

static void reach(struct packet_worker *worker, size_t depth)
{
	while (depth >= worker->room)
		worker->ids = memory_grow(worker->ids, worker->room,
					  &worker->room, sizeof(*worker->ids));
}

/* Ids of a context's functions, and of what is around them. */
static void take_context(struct packet_worker *worker, uint32_t tally,
			 const struct packet_context *context)
{
	uint64_t id = context->id;

	reach(worker, context->count);
	for (uint32_t i = 0; i < context->count; i++) {
		const uint32_t function = context->functions[i];

		worker->ids[context->count - i] = id;
		if (id)
			enter(&worker->table, id, tally, function);
		id = id_pop(id, id_key(function));
	}
	worker->ids[0] = id;
}

static void take_call(struct packet_worker *worker, uint32_t tally,
		      const struct packet_cursor *cursor)
{
	struct packet_count *entry;
	uint64_t id;

	reach(worker, cursor->depth);
	if (cursor->is_early)
		worker->ids[cursor->depth - 1] = worker->ids[cursor->depth - 2];
	id = id_push(worker->ids[cursor->depth - 1], id_key(cursor->function));
	worker->ids[cursor->depth] = id;
	if (!id)
		return; /* as good as never */
	entry = enter(&worker->table, id, tally, cursor->function);
	entry->calls++;
	entry->tails += cursor->is_tail;
	worker->calls++;
}

/* Whether the packet behind it goes on from here. */
static void verify(struct packet_worker *worker,
		   const struct packet_cursor *cursor, size_t packet)
{
	const struct trace *trace = worker->work->trace;
	const struct trace_packet *this = &trace->packets[packet];
	const struct trace_packet *next = this + 1;

	if (packet + 1 == trace->count || next->tally != this->tally ||
	    next->cause != WIRE_PACKET_FULL || cursor->is_lost ||
	    next->sequence != cursor->context.sequence + 1)
		return;
	for (uint32_t depth = 0; depth <= cursor->depth; depth++) {
		if (worker->ids[depth] != next->id)
			continue;
		worker->verified++;
		return;
	}
	worker->mismatched++;
}

static void take_packet(struct packet_worker *worker, size_t packet)
{
	const struct trace *trace = worker->work->trace;
	const uint32_t tally = trace->packets[packet].tally;
	const size_t count =
		trace_read(trace, &trace->packets[packet], worker->words);
	struct packet_cursor cursor;
	enum packet_event event;

	packet_begin(&cursor, worker->words, count, &trace->blocks);
	while ((event = packet_next(&cursor)) != PACKET_END) {
		if (event == PACKET_CALL)
			take_call(worker, tally, &cursor);
		else if (event == PACKET_CONTEXT)
			take_context(worker, tally, &cursor.context);
	}
	worker->bad_words += cursor.bad_words;
	verify(worker, &cursor, packet);
}

static void *run(void *argument)
{
	struct packet_worker *worker = argument;
	struct packet_work *work = worker->work;
	size_t i;

	while ((i = atomic_fetch_add(&work->next, 1)) < work->trace->count)
		take_packet(worker, work->order ? work->order[i] : i);
	return NULL;
}

/* Where no thread can be had, the first worker does it all. */
static void start(struct packet_worker *workers, unsigned int count,
		  struct packet_work *work)
{
	for (unsigned int i = 0; i < count; i++) {
		workers[i].work = work;
		table_init(&workers[i].table, TABLE_LOG2);
	}
	for (unsigned int i = 1; i < count; i++)
		workers[i].is_running = pthread_create(&workers[i].thread, NULL,
						       run, &workers[i]) == 0;
	run(&workers[0]);
	for (unsigned int i = 1; i < count; i++)
		if (workers[i].is_running)
			pthread_join(workers[i].thread, NULL);
}

static void add_table(struct packet_table *to, const struct packet_table *from)
{
	for (size_t i = 0; i < (size_t)1 << from->log2; i++) {
		const struct packet_count *more = &from->entries[i];
		struct packet_count *entry;

		if (!more->id)
			continue;
		entry = enter(to, more->id, more->tally, more->function);
		entry->calls += more->calls;
		entry->tails += more->tails;
	}
}

static void add_worker(struct packet_counts *counts,
		       struct packet_worker *worker)
{
	counts->calls += worker->calls;
	counts->verified += worker->verified;
	counts->mismatched += worker->mismatched;
	counts->bad_words += worker->bad_words;
	if (counts->table.entries) {
		add_table(&counts->table, &worker->table);
		free(worker->table.entries);
	} else {
		counts->table = worker->table;
	}
	free(worker->ids);
}

void packet_counts_init(struct packet_counts *counts, const struct trace *trace,
			unsigned int workers, const size_t *order)
{
	struct packet_work work = { .trace = trace, .order = order };
	struct packet_worker *all;

	if (workers > PACKET_WORKERS_MAX)
		workers = PACKET_WORKERS_MAX;
	if (workers < 1)
		workers = 1;
	all = memory_zeroed(workers, sizeof(*all));
	start(all, workers, &work);
	*counts = (struct packet_counts){ 0 };
	for (unsigned int i = 0; i < workers; i++)
		add_worker(counts, &all[i]);
	free(all);
}

void packet_counts_fini(struct packet_counts *counts)
{
	free(counts->table.entries);
	free(counts->contexts);
	free(counts->counts);
	*counts = (struct packet_counts){ 0 };
}

const struct packet_count *packet_counts_find(
	const struct packet_counts *counts, uint64_t id, uint32_t tally)
{
	const struct packet_count *entry = look(&counts->table, id, tally);

	return entry->id ? entry : NULL;
}

/* ---- As a part has them ---- */

static int by_tally(const void *a, const void *b)
{
	const struct packet_count *one = a, *other = b;

	if (one->tally != other->tally)
		return one->tally < other->tally ? -1 : 1;
	return one->id < other->id ? -1 : one->id > other->id;
}

/* Packs the entries, which ends the table's use as one. */
static size_t sort(struct packet_table *table)
{
	size_t count = 0;

	for (size_t i = 0; i < (size_t)1 << table->log2; i++)
		if (table->entries[i].id)
			table->entries[count++] = table->entries[i];
	qsort(table->entries, count, sizeof(*table->entries), by_tally);
	return count;
}

/* Depths are counted from where its tally knows of no caller: from itself. */
static void make_context(struct wire_context *context,
			 const struct packet_count *entry, int is_tail)
{
	*context = (struct wire_context){
		.id = is_tail ? wire_tail_id(entry->id) : entry->id,
		.site = is_tail ? WIRE_SITE_TAIL : 0,
		.function = entry->function,
		.depth = 1,
	};
}

static size_t make_records(struct packet_counts *counts,
			   const struct packet_count *entry, size_t at)
{
	make_context(&counts->contexts[at], entry, 0);
	counts->counts[at++] = (struct wire_count){
		.id = entry->id,
		.field = entry->calls - entry->tails,
	};
	if (!entry->tails)
		return at;
	make_context(&counts->contexts[at], entry, 1);
	counts->counts[at++] = (struct wire_count){
		.id = wire_tail_id(entry->id),
		.field = entry->tails,
	};
	return at;
}

void packet_counts_add(struct packet_counts *counts,
		       struct part_tallies *tallies)
{
	const size_t count = sort(&counts->table);
	const struct packet_count *entries = counts->table.entries;
	size_t at = 0, from = 0;

	counts->contexts =
		memory_zeroed(2 * count + 1, sizeof(*counts->contexts));
	counts->counts = memory_zeroed(2 * count + 1, sizeof(*counts->counts));
	for (size_t i = 0; i < count; i++) {
		at = make_records(counts, &entries[i], at);
		if (i + 1 < count && entries[i + 1].tally == entries[i].tally)
			continue;
		part_tallies_add(tallies, entries[i].tally,
				 counts->contexts + from, counts->counts + from,
				 at - from);
		from = at;
	}
}
