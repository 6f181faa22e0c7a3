/* SPDX-License-Identifier: MIT */
/*
 * Writing the file takes as long for some thousand contexts as counting one
 * packet. While workers have packets to count, they therefore write the file
 * only if at least one packet is pending for each CONTEXTS_A_PACKET contexts.
 * Workers without packets write it earlier.
 */
#include "report/live/handed_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/now.h"
#include "base/suffix.h"
#include "wire/packet.h"
#include "wire/taken.h"

#define CONTEXTS_A_PACKET 4096
/* 1 / PARTS_PENDING of the packets may be pending */
#define PARTS_PENDING    4
#define WRITTEN_EVERY_NS 100000000

/* ---- Beginning and end ---- */

static char *beside(const char *path, const char *suffix)
{
	return memory_printf("%.*s%s",
			     (int)suffix_stem(path, WIRE_TRACE_SUFFIX), path,
			     suffix);
}

int handed_process_open(struct handed_process **process, const char *path,
			unsigned int workers)
{
	struct handed_trace trace;
	struct handed_process *made;
	int err = handed_trace_open(&trace, path);

	if (err)
		return err;
	made = memory_zeroed(1,
			     sizeof(*made) + workers * sizeof(*made->shares));
	made->trace = trace;
	made->workers = workers;
	made->path = beside(path, WIRE_TAKEN_SUFFIX);
	made->new_path = beside(path, ".new" WIRE_TAKEN_SUFFIX);
	pthread_mutex_init(&made->taking, NULL);
	pthread_mutex_init(&made->writing, NULL);
	for (unsigned int i = 0; i < workers; i++)
		pthread_mutex_init(&made->shares[i].lock, NULL);
	*process = made;
	return 0;
}

void handed_process_close(struct handed_process *process)
{
	for (unsigned int i = 0; i < process->workers; i++) {
		struct handed_share *share = &process->shares[i];

		packet_counter_fini(&share->counter);
		free(share->done.items);
		pthread_mutex_destroy(&share->lock);
	}
	pthread_mutex_destroy(&process->taking);
	pthread_mutex_destroy(&process->writing);
	handed_trace_close(&process->trace);
	free(process->path);
	free(process->new_path);
	free(process);
}

/* ---- Counting ---- */

static void add_done(struct handed_list *list, const struct handed_done *done)
{
	list->items = memory_grow(list->items, list->count, &list->capacity,
				  sizeof(*list->items));
	list->items[list->count++] = *done;
}

static void count(struct handed_share *share,
		  const struct packet_blocks *blocks,
		  struct handed_packet *packet, const uint32_t *words)
{
	const struct wire_packet_begin *begin = (const void *)words;
	struct packet_cursor cursor;

	if (!share->counter.table.entries)
		packet_counter_init(&share->counter);
	packet_begin(&cursor, words,
		     (WIRE_PACKET_BYTES - sizeof(*packet->head)) /
			     sizeof(*words),
		     blocks);
	packet_counter_take(&share->counter, &cursor, packet->head->owner);
	add_done(&share->done,
		 &(struct handed_done){
			 .packet = packet,
			 .sequence = (uint64_t)begin->sequence[1] << 32 |
				     begin->sequence[0],
		 });
}

int handed_process_count(struct handed_process *process, unsigned int worker,
			 uint32_t *words)
{
	struct handed_share *share = &process->shares[worker];
	struct packet_blocks blocks;
	struct handed_packet *packet;
	size_t contexts;

	pthread_mutex_lock(&process->taking);
	packet = handed_trace_take(&process->trace);
	if (packet)
		blocks = process->trace.blocks;
	atomic_store(&process->places, process->trace.count);
	pthread_mutex_unlock(&process->taking);
	if (!packet)
		return 0;
	memcpy(words, packet->head + 1,
	       WIRE_PACKET_BYTES - sizeof(*packet->head));
	pthread_mutex_lock(&share->lock);
	contexts = share->counter.table.used;
	count(share, &blocks, packet, words);
	atomic_fetch_add(&process->contexts,
			 share->counter.table.used - contexts);
	atomic_fetch_add(&process->pending, 1);
	pthread_mutex_unlock(&share->lock);
	return 1;
}

/* ---- The file ---- */

/* The content of the file, from all workers. */
struct handed_counts {
	struct wire_taken head;
	struct wire_taken_count *counts;
	size_t capacity;
	struct handed_list done; /* packets to be returned to the process */
};

static void add_table(struct handed_counts *counts,
		      const struct packet_table *table)
{
	for (size_t i = 0; table->entries && i < (size_t)1 << table->log2;
	     i++) {
		const struct packet_count *entry = &table->entries[i];

		if (!entry->id)
			continue;
		counts->counts =
			memory_grow(counts->counts, counts->head.count_count,
				    &counts->capacity, sizeof(*counts->counts));
		counts->counts[counts->head.count_count++] =
			(struct wire_taken_count){
				.id = entry->id,
				.calls = entry->calls,
				.tails = entry->tails,
				.tally = entry->tally,
				.function = entry->function,
			};
	}
}

static void add_share(struct handed_counts *counts, struct handed_share *share)
{
	add_table(counts, &share->counter.table);
	counts->head.calls += share->counter.calls;
	counts->head.bad_words += share->counter.bad_words;
	for (size_t i = 0; i < share->done.count; i++) {
		const struct handed_done *done = &share->done.items[i];

		done->packet->sequence = done->sequence;
		add_done(&counts->done, done);
	}
}

/*
 * Collects the counts of all workers. The packets are in the file once it is
 * renamed.
 */
static void collect(struct handed_counts *counts,
		    struct handed_process *process)
{
	for (unsigned int i = 0; i < process->workers; i++) {
		struct handed_share *share = &process->shares[i];

		pthread_mutex_lock(&share->lock);
		pthread_mutex_lock(&process->taking);
		add_share(counts, share);
		pthread_mutex_unlock(&process->taking);
		share->done.count = 0;
		pthread_mutex_unlock(&share->lock);
	}
}

/* Lists the counted packets by offset. */
static size_t list_packets(struct handed_process *process,
			   struct wire_taken_packet **packets)
{
	const struct handed_trace *trace = &process->trace;
	size_t count = 0;

	pthread_mutex_lock(&process->taking);
	*packets = memory_zeroed(trace->count + 1, sizeof(**packets));
	for (size_t i = 0; i < trace->count; i++)
		if (trace->packets[i]->sequence)
			(*packets)[count++] = (struct wire_taken_packet){
				.offset = trace->packets[i]->offset,
				.sequence = trace->packets[i]->sequence,
			};
	pthread_mutex_unlock(&process->taking);
	return count;
}

static int write_all(FILE *out, const void *bytes, size_t size, size_t count)
{
	errno = 0;
	if (fwrite(bytes, size, count, out) == count)
		return 0;
	return errno ? -errno : -EIO;
}

static int write_counts(FILE *out, struct handed_counts *counts,
			struct handed_process *process)
{
	struct wire_taken_packet *packets;
	struct wire_taken *head = &counts->head;
	int err;

	memcpy(head->magic, WIRE_TAKEN_MAGIC, sizeof(head->magic));
	head->version = WIRE_TAKEN_VERSION;
	head->header_bytes = sizeof(*head);
	head->pid = process->trace.header->pid;
	head->seq = process->trace.header->seq;
	head->packet_bytes = sizeof(*packets);
	head->count_bytes = sizeof(*counts->counts);
	head->packet_count = list_packets(process, &packets);
	head->taken = process->taken + counts->done.count;
	head->workers = process->workers;
	err = write_all(out, head, sizeof(*head), 1);
	if (!err)
		err = write_all(out, packets, sizeof(*packets),
				head->packet_count);
	if (!err)
		err = write_all(out, counts->counts, sizeof(*counts->counts),
				head->count_count);
	free(packets);
	return err;
}

static int write_file(struct handed_process *process,
		      struct handed_counts *counts)
{
	int fd = open(process->new_path,
		      O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		      0600);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int err = out ? write_counts(out, counts, process) : -errno;

	if (!out && fd >= 0)
		close(fd);
	if (out && fclose(out) != 0 && !err)
		err = -errno;
	if (!err && rename(process->new_path, process->path) != 0)
		err = -errno;
	if (err)
		unlink(process->new_path);
	return err;
}

/*
 * Called after a failed write. Keeps the packets, none of which may be reused,
 * for the next write.
 */
static void keep_pending(struct handed_process *process,
			 const struct handed_counts *counts)
{
	struct handed_share *share = &process->shares[0];

	pthread_mutex_lock(&share->lock);
	for (size_t i = 0; i < counts->done.count; i++)
		add_done(&share->done, &counts->done.items[i]);
	pthread_mutex_unlock(&share->lock);
}

static void write_now(struct handed_process *process)
{
	struct handed_counts counts = { 0 };

	collect(&counts, process);
	process->err = counts.done.count ? write_file(process, &counts) : 0;
	process->written_ns = now_ns(CLOCK_MONOTONIC);
	if (process->err) {
		keep_pending(process, &counts);
	} else if (counts.done.count) {
		process->taken += counts.done.count;
		atomic_fetch_sub(&process->pending, counts.done.count);
		for (size_t i = 0; i < counts.done.count; i++)
			handed_trace_give_back(counts.done.items[i].packet);
		handed_trace_wake(&process->trace);
	}
	free(counts.counts);
	free(counts.done.items);
}

/* ---- Memory ---- */

uint64_t handed_process_growth(struct handed_process *process)
{
	/*
	 * write_now() has an array of all counts, and also the former array
	 * while the array grows
	 */
	uint64_t bytes = 2 * atomic_load(&process->contexts) *
			 sizeof(struct wire_taken_count);

	for (unsigned int i = 0; i < process->workers; i++) {
		struct handed_share *share = &process->shares[i];
		const struct packet_table *table = &share->counter.table;

		pthread_mutex_lock(&share->lock);
		if (table->entries)
			bytes += ((uint64_t)2 << table->log2) *
				 sizeof(*table->entries);
		pthread_mutex_unlock(&share->lock);
	}
	return bytes;
}

void handed_process_give_up(struct handed_process *process,
			    enum wire_given_up reason)
{
	if (process->is_given_up)
		return;
	handed_process_write(process, 1);
	process->is_given_up = 1;
	for (unsigned int i = 0; i < process->workers; i++)
		packet_counter_fini(&process->shares[i].counter);
	handed_trace_give_up(&process->trace, reason);
}

/* ---- When to write ---- */

/* Returns whether a thread waits for a packet or will soon. */
static int is_wanted(const struct handed_process *process)
{
	return handed_trace_is_awaited(&process->trace) ||
	       process->pending * PARTS_PENDING >= process->places;
}

int handed_process_is_due(const struct handed_process *process)
{
	return process->pending * CONTEXTS_A_PACKET >= process->contexts &&
	       is_wanted(process);
}

static int is_time(const struct handed_process *process)
{
	return is_wanted(process) ||
	       now_ns(CLOCK_MONOTONIC) - process->written_ns >=
		       WRITTEN_EVERY_NS;
}

void handed_process_write(struct handed_process *process, int is_urgent)
{
	if (is_urgent)
		pthread_mutex_lock(&process->writing);
	else if (pthread_mutex_trylock(&process->writing) != 0)
		return;
	if (atomic_load(&process->pending) && (is_urgent || is_time(process)))
		write_now(process);
	pthread_mutex_unlock(&process->writing);
}
