/* SPDX-License-Identifier: MIT */
/*
 * Front of pthread_create(): a thread is sampled from its start, even if it
 * calls no hooked function.
 *
 * The thread's function and argument are stored in one of a few slots until the
 * thread has started. If all slots are in use, clew notices the new thread only
 * at its first hooked call. unshare() and setns() are here because they require
 * a process with one thread.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#include "preload/host/libc_calls.h"
#include "preload/host/lookup.h"
#include "preload/host/next.h"
#include "preload/hot/runtime.h"
#include "preload/time/sampling.h"
#include "preload/time/watch.h"

#define SLOTS 64

static struct start_slot {
	/* Set by the creating thread; cleared by the new one. */
	_Atomic uint32_t is_taken;
	void *(*function)(void *);
	void *argument;
} slots[SLOTS];

static struct start_slot *take_slot(void)
{
	for (int i = 0; i < SLOTS; i++) {
		uint32_t free = 0;

		if (__atomic_compare_exchange_n((uint32_t *)&slots[i].is_taken,
						&free, 1, 0, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return &slots[i];
	}
	return NULL;
}

static void give_back(struct start_slot *slot)
{
	slot->is_taken = 0;
}

/*
 * Returns whether the thread must be counted. A thread that was created just
 * before clew detached may start afterwards, or while a new part is being
 * created.
 */
static int is_counted(void)
{
	return !rt.is_late || rt.header->state == WIRE_RUNNING;
}

/*
 * A pthread key whose destructor runs when a thread ends. The key is created
 * before the first thread that this front creates.
 */
static struct {
	pthread_key_t key;
	/* pthread_setspecific(), or NULL if there is no key */
	int (*set)(pthread_key_t, const void *);
	_Atomic uint32_t is_sought;
} end_key;

static void end(void *unused)
{
	sampling_end_thread();
}

static void make_end_key(void)
{
	int (*const create)(pthread_key_t *, void (*)(void *)) =
		(int (*)(pthread_key_t *, void (*)(void *)))lookup_other(
			"pthread_key_create");
	int (*const set)(pthread_key_t, const void *) =
		(int (*)(pthread_key_t, const void *))lookup_other(
			"pthread_setspecific");

	if (create && set && !create(&end_key.key, end))
		end_key.set = set;
}

static void seek_end_key(void)
{
	struct libc_calls own;

	if (atomic_exchange(&end_key.is_sought, 1))
		return;
	own = libc_calls_begin();
	make_end_key();
	libc_calls_end(&own);
}

static void note_end(void)
{
	struct libc_calls own;

	if (!end_key.set)
		return;
	own = libc_calls_begin();
	end_key.set(end_key.key, &end_key);
	libc_calls_end(&own);
}

/*
 * The first function of a new thread. The function ends with a tail call to the
 * program's function, so that no frame of clew stays on the thread's stack.
 */
static void *begin(void *at)
{
	struct start_slot *slot = at;
	void *(*const function)(void *) = slot->function;
	void *const argument = slot->argument;

	give_back(slot);
	if (is_counted()) {
		note_end();
		sampling_begin_thread();
	}
	return function(argument);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*function)(void *), void *argument)
{
	struct start_slot *slot = sampling_is_on() ? take_slot() : NULL;
	int err;

	if (!slot)
		return NEXT(pthread_create)(thread, attributes, function,
					    argument);
	seek_end_key();
	slot->function = function;
	slot->argument = argument;
	err = NEXT(pthread_create)(thread, attributes, begin, slot);
	if (err)
		give_back(slot);
	return err;
}

EXPORT int unshare(int flags)
{
	const int was_on = watch_stop();
	int result = NEXT(unshare)(flags);

	if (was_on)
		watch_start_again();
	return result;
}

EXPORT int setns(int fd, int type)
{
	const int was_on = watch_stop();
	int result = NEXT(setns)(fd, type);

	if (was_on)
		watch_start_again();
	return result;
}
