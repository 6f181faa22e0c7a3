/* SPDX-License-Identifier: MIT */
/* See packet_counts.h. */
#include "report/merge/packet_counts.h"

#include <stdlib.h>

#include "base/memory.h"
#include "report/merge/packet_counter.h"
#include "report/merge/packet_pool.h"

/* ---- Workers ---- */

struct packet_worker {
	const struct trace *trace;
	struct packet_counter counter;
	uint64_t verified, mismatched;
};

/*
 * Checks whether the context with which the next packet of the tally begins is
 * one of those that are active at the end of this packet, and counts the
 * result.
 */
static void verify(struct packet_worker *worker,
		   const struct packet_cursor *cursor, size_t packet)
{
	const struct trace *trace = worker->trace;
	const struct trace_packet *this = &trace->packets[packet];
	const struct trace_packet *next = this + 1;

	if (packet + 1 == trace->count || next->tally != this->tally ||
	    next->cause != WIRE_PACKET_FULL || cursor->is_lost ||
	    next->sequence != cursor->context.sequence + 1)
		return;
	for (uint32_t depth = 0; depth <= cursor->depth; depth++) {
		if (worker->counter.ids[depth] != next->id)
			continue;
		worker->verified++;
		return;
	}
	worker->mismatched++;
}

/*
 * If the tally's next packet follows directly, distributes the time between the
 * last stamp of this packet and the beginning of the next one.
 */
static void go_on(struct packet_worker *worker,
		  const struct packet_cursor *cursor, size_t packet)
{
	const struct trace *trace = worker->trace;
	const struct trace_packet *next = &trace->packets[packet] + 1;

	if (packet + 1 < trace->count &&
	    next->tally == trace->packets[packet].tally &&
	    next->tid == cursor->context.tid &&
	    next->sequence == cursor->context.sequence + 1)
		packet_counter_go_on(&worker->counter, next->tsc);
}

static void take_packet(void *context, struct packet_cursor *cursor,
			size_t packet)
{
	struct packet_worker *worker = context;

	packet_counter_take(&worker->counter, cursor,
			    worker->trace->packets[packet].tally);
	verify(worker, cursor, packet);
	if (worker->counter.is_timed)
		go_on(worker, cursor, packet);
}

static void add_worker(struct packet_counts *counts,
		       struct packet_worker *worker)
{
	struct packet_counter *counter = &worker->counter;

	counts->calls += counter->calls;
	counts->verified += worker->verified;
	counts->mismatched += worker->mismatched;
	counts->bad_words += counter->bad_words;
	counts->ticks += counter->times.ticks;
	counts->has_returns |= counter->times.has_returns;
	if (counts->table.entries) {
		packet_table_add_all(&counts->table, &counter->table);
	} else {
		counts->table = counter->table;
		counter->table = (struct packet_table){ 0 };
	}
	packet_counter_fini(counter);
}

/*
 * Adds the counts of calls that workers of `clew record` have counted while the
 * process ran.
 */
static void add_taken(struct packet_counts *counts, const struct taken *taken)
{
	packet_table_reserve(&counts->table, taken->count_count);
	for (size_t i = 0; i < taken->count_count; i++) {
		const struct wire_taken_count *count = &taken->counts[i];

		if (count->id)
			packet_table_add(&counts->table,
					 &(struct packet_count){
						 .id = count->id,
						 .calls = count->calls,
						 .tails = count->tails,
						 .tally = count->tally,
						 .function = count->function,
					 });
	}
	counts->calls += taken->calls;
	counts->bad_words += taken->bad_words;
}

void packet_counts_init(struct packet_counts *counts, const struct trace *trace,
			const struct taken *taken, unsigned int workers,
			const size_t *order, int is_timed)
{
	struct packet_pool pool = { .trace = trace,
				    .taken = taken,
				    .order = order,
				    .take = take_packet };
	struct packet_worker *all;
	int has_stamps = 0;

	if (workers > PACKET_WORKERS_MAX)
		workers = PACKET_WORKERS_MAX;
	if (workers < 1)
		workers = 1;
	all = memory_zeroed(workers, sizeof(*all));
	for (unsigned int i = 0; i < workers; i++) {
		all[i].trace = trace;
		packet_counter_init(&all[i].counter);
		all[i].counter.is_timed = is_timed;
	}
	packet_pool_run(&pool, all, sizeof(*all), workers);
	*counts = (struct packet_counts){ 0 };
	for (unsigned int i = 0; i < workers; i++) {
		has_stamps |= all[i].counter.times.has_stamps;
		add_worker(counts, &all[i]);
	}
	if (!has_stamps)
		counts->ticks = 0;
	if (taken)
		add_taken(counts, taken);
	free(all);
}

void packet_counts_fini(struct packet_counts *counts)
{
	packet_table_fini(&counts->table);
	free(counts->contexts);
	free(counts->counts);
	free(counts->own_ticks);
	*counts = (struct packet_counts){ 0 };
}

const struct packet_count *packet_counts_find(
	const struct packet_counts *counts, uint64_t id, uint32_t tally)
{
	return packet_table_find(&counts->table, id, tally);
}

/* ---- Output in the form of a part ---- */

static int by_tally(const void *a, const void *b)
{
	const struct packet_count *one = a, *other = b;

	if (one->tally != other->tally)
		return one->tally < other->tally ? -1 : 1;
	return one->id < other->id ? -1 : one->id > other->id;
}

/*
 * Moves all used entries to the front and sorts them. Returns their number.
 * Afterwards the table cannot be searched any more.
 */
static size_t sort(struct packet_table *table)
{
	size_t count = 0;

	for (size_t i = 0; i < (size_t)1 << table->log2; i++)
		if (table->entries[i].id)
			table->entries[count++] = table->entries[i];
	qsort(table->entries, count, sizeof(*table->entries), by_tally);
	return count;
}

/*
 * Fills the record of a context. The depth is set to 1, which is always
 * accepted, because the true depth is not known.
 */
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
	if (counts->own_ticks)
		counts->own_ticks[at] = entry->ticks;
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
	if (counts->ticks)
		counts->own_ticks = memory_zeroed(2 * count + 1,
						  sizeof(*counts->own_ticks));
	for (size_t i = 0; i < count; i++) {
		at = make_records(counts, &entries[i], at);
		if (i + 1 < count && entries[i + 1].tally == entries[i].tally)
			continue;
		part_tallies_add(
			tallies, entries[i].tally, counts->contexts + from,
			&(struct count_span){
				.items = counts->counts + from,
				.count = at - from,
				.own_ticks = counts->own_ticks
						     ? counts->own_ticks + from
						     : NULL,
			});
		from = at;
	}
}
