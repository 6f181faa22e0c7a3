/* SPDX-License-Identifier: MIT */
#include "preload/process.h"

#include <pthread.h>
#include <stdatomic.h>

#include "preload/cold.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/text.h"

/* A process that is not recorded after all counts where nobody looks. */
static void create_part(struct cold *cold)
{
	const char *dir = cold->config.no_children ? NULL : cold->config.dir;

	if (part_create(&cold->part, dir) && dir)
		part_create(&cold->part, NULL);
}

static int is_inherited(unsigned int kind)
{
	return kind == WIRE_PROCESS || kind == WIRE_MODULE ||
	       kind == WIRE_RULES;
}

/* What was decided before the fork holds for the child too. */
static void copy_chunks(struct part *to, const struct part *from)
{
	for (uint32_t i = 0; i < from->mapped_count; i++) {
		const struct wire_chunk *head = from->mapped[i].head;
		struct chunk copy;

		if (!is_inherited(head->kind) ||
		    part_alloc(to, head->kind, head->owner, head->used, &copy))
			continue;
		copy_bytes(copy.head + 1, head + 1, head->used);
		atomic_store_explicit(&copy.head->used, head->used,
				      memory_order_release);
	}
}

/* Modules and functions keep their numbers in a child: they are inherited. */
static void start_part(struct cold *cold, struct part *parent)
{
	struct wire_header *header;

	create_part(cold);
	header = cold->part.header;
	header->origin = WIRE_FROM_FORK;
	header->parent_pid = parent->header->pid;
	header->parent_seq = parent->header->seq;
	header->verify_period = rt.verify_period;
	header->max_contexts = rt.max_contexts;
	copy_chunks(&cold->part, parent);
	rt.header = header;
}

static int is_off(void)
{
	return rt.header->state == WIRE_DISABLED;
}

static void before_fork(void)
{
	if (is_off())
		return;
	hot.forking = 1;
	tallies_suspend();
}

static void after_fork_in_parent(void)
{
	if (is_off())
		return;
	hot.forking = 0;
	tallies_resume();
}

static void after_fork_in_child(void)
{
	struct cold *cold = rt.cold;
	struct part parent = cold->part;
	uint64_t signals;

	if (is_off())
		return;
	sys_block_signals(&signals);
	cold->part = (struct part){ 0 };
	start_part(cold, &parent);
	hot.forking = 0;
	tallies_reset_after_fork(&cold->tallies, &cold->part);
	part_abandon(&parent);
	atomic_store(&rt.header->state, WIRE_RUNNING);
	sys_restore_signals(&signals);
}

int process_watch_forks(void)
{
	return -pthread_atfork(before_fork, after_fork_in_parent,
			       after_fork_in_child);
}
