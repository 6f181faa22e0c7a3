/* SPDX-License-Identifier: MIT */
/* See packet_pool.h. */
#include "report/merge/packet_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"

struct pool_thread {
	struct packet_pool *pool;
	void *worker;
	pthread_t thread;
	int is_running;
	uint32_t words[PACKET_WORDS_MAX];
};

static void take(struct pool_thread *thread, size_t packet)
{
	struct packet_pool *pool = thread->pool;
	const struct trace_packet *of = &pool->trace->packets[packet];
	struct packet_cursor cursor;

	if (taken_has(pool->taken, of->offset, of->sequence))
		return;
	packet_begin(
		&cursor, thread->words,
		trace_read(pool->trace, pool->trace->fd, of, thread->words),
		pool->trace->blocks);
	pool->take(thread->worker, &cursor, packet);
}

static void *run(void *argument)
{
	struct pool_thread *thread = argument;
	struct packet_pool *pool = thread->pool;
	size_t i;

	while ((i = atomic_fetch_add(&pool->next, 1)) < pool->trace->count)
		take(thread, pool->order ? pool->order[i] : i);
	return NULL;
}

void packet_pool_run(struct packet_pool *pool, void *workers, size_t bytes,
		     unsigned int count)
{
	struct pool_thread *threads = memory_zeroed(count, sizeof(*threads));

	for (unsigned int i = 0; i < count; i++) {
		threads[i].pool = pool;
		threads[i].worker = (char *)workers + i * bytes;
	}
	for (unsigned int i = 1; i < count; i++)
		threads[i].is_running = pthread_create(&threads[i].thread, NULL,
						       run, &threads[i]) == 0;
	run(&threads[0]);
	for (unsigned int i = 1; i < count; i++)
		if (threads[i].is_running)
			pthread_join(threads[i].thread, NULL);
	free(threads);
}
