/* SPDX-License-Identifier: MIT */
#include "jvm/hotspot/java_recall.h"

#include <stdatomic.h>

#include "preload/hot/runtime.h"
#include "preload/sys/sys.h"

/*
 * A list of all records that were ever allocated in a process to which clew has
 * attached. When clew detaches, the threads' variables vanish, and with them
 * all other pointers to the records. `next` of a listed record does not change.
 */
static struct java_recall *_Atomic all;

/*
 * Returns a listed record that no thread uses, and marks it as used; NULL if
 * there is none.
 */
static struct java_recall *find_free(void)
{
	for (struct java_recall *one = all; one; one = one->next)
		if (!atomic_exchange(&one->is_taken, 1))
			return one;
	return NULL;
}

static void keep(struct java_recall *one)
{
	struct java_recall *first = atomic_load(&all);

	atomic_store(&one->is_taken, 1);
	do
		one->next = first;
	while (!atomic_compare_exchange_weak(&all, &first, one));
}

static void forget(struct java_recall *one)
{
	for (int i = 0; i < RECALLED_COUNT; i++)
		one->walks[i].start.pc = 0;
	one->frozen_since = one->frozen_ticks = 0;
}

void java_recall_begin(void)
{
	struct java_recall *recall = NULL;

	if (hot.java_recall)
		return;
	if (rt.is_late)
		recall = find_free();
	if (recall) {
		forget(recall);
		hot.java_recall = recall;
		return;
	}
	recall = sys_map_private(sizeof(*recall));
	if (sys_failed(recall))
		return;
	if (rt.is_late)
		keep(recall);
	hot.java_recall = recall;
}

void java_recall_end(void)
{
	struct java_recall *recall = hot.java_recall;

	hot.java_recall = NULL;
	if (recall && rt.is_late)
		atomic_store(&recall->is_taken, 0);
	else if (recall)
		sys_munmap(recall, sizeof(*recall));
}

void java_recall_begin_again(void)
{
	for (struct java_recall *one = all; one; one = one->next)
		atomic_store(&one->is_taken, 0);
}
