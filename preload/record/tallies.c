/* SPDX-License-Identifier: MIT */
/* See tallies.h. */
#include "preload/record/tallies.h"

#include <sys/prctl.h>

#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/switch.h"
#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "preload/record/recorder.h"
#include "preload/record/tables.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/proc_threads.h"
#include "wire/id.h"

#define SLAB_BYTES          65536
#define THREADS_CHUNK_BYTES (WIRE_PAGE_BYTES - sizeof(struct wire_chunk))
#define ATTEMPT_EVERY       4096
#define ADOPTION_TRIES      8
#define DIRECTORY_MIN       (4096 / sizeof(struct tally *))

/*
 * The room for contexts between a tally's head and its first table. SPARE_BYTES
 * are a reserve for "(folded)" (take_spare() in hot/record.c), and
 * TALLY_CONTEXTS_BYTES are the rest.
 */
#define SPARE_BYTES (16 * sizeof(struct wire_context))
#define TALLY_CONTEXTS_BYTES                                                   \
	((WIRE_TALLY_TABLE_OFFSET - sizeof(struct wire_chunk) -                \
	  sizeof(struct wire_tally) - SPARE_BYTES) /                           \
	 sizeof(struct wire_context) * sizeof(struct wire_context))

/* ---- Attaching a thread ---- */

/* The head of a piece of memory for tallies, which follow it. */
struct tally_slab {
	struct tally_slab *former;
} __attribute__((aligned(64)));

static struct tally *take_memory(struct tallies *tallies)
{
	struct tally *tally;

	if (tallies->slab_left < sizeof(*tally)) {
		struct tally_slab *slab = sys_map_private(SLAB_BYTES);

		if (sys_failed(slab))
			return NULL;
		slab->former = tallies->slabs;
		tallies->slabs = slab;
		tallies->slab = (unsigned char *)(slab + 1);
		tallies->slab_left = SLAB_BYTES - sizeof(*slab);
	}
	tally = (struct tally *)tallies->slab;
	tallies->slab += sizeof(*tally);
	tallies->slab_left -= sizeof(*tally);
	return tally;
}

static int grow_directory(struct tallies *tallies)
{
	const uint32_t room = tallies->room ? 2 * tallies->room : DIRECTORY_MIN;
	const uint64_t each = sizeof(struct tally *);
	struct tally **grown = sys_map_private(room * each);

	if (sys_failed(grown))
		return -ENOMEM;
	copy_bytes(grown, tallies->by_number, tallies->room * each);
	__atomic_store_n(&tallies->by_number, grown, __ATOMIC_RELEASE);
	tallies->room = room;
	return 0;
}

struct tally *tallies_find(const struct tallies *tallies, uint32_t number)
{
	/* Pairs with the store in make_tally(). */
	if (number >= __atomic_load_n(&tallies->count, __ATOMIC_ACQUIRE))
		return NULL;
	return __atomic_load_n(&tallies->by_number, __ATOMIC_ACQUIRE)[number];
}

static struct tally *make_tally(struct tallies *tallies)
{
	const uint64_t bytes = tally_chunk_bytes() - sizeof(struct wire_chunk);
	struct tally *tally = take_memory(tallies);
	struct chunk chunk;

	if (!tally ||
	    (tallies->count == tallies->room && grow_directory(tallies)) ||
	    part_alloc(tallies->part, WIRE_TALLY, tallies->count, bytes,
		       &chunk))
		return NULL;
	/* hot.mask is not 0 only in the thread of a forked child. */
	tally->memory.reach = hot.mask ? tallies->reach : 0;
	tally->wire = chunk_payload(&chunk);
	tally->memory.chunk = chunk.offset;
	if (tally_first_table(tally, chunk.head))
		return NULL;
	tally->number = tallies->count;
	tally->next_spare = (uintptr_t)(tally->wire + 1);
	tally->end_spare = tally->next_spare + SPARE_BYTES;
	tally->next_context = tally->end_spare;
	tally->memory.chunk_end = tally->next_context + TALLY_CONTEXTS_BYTES;
	tally->end_context = tally->memory.chunk_end;
	tally->next = tallies->first;
	tallies->by_number[tally->number] = tally;
	__atomic_store_n(&tallies->count, tally->number + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&tallies->first, tally, __ATOMIC_RELEASE);
	return tally;
}

/* Returns a tally whose owner has exited, or NULL. */
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
			       THREADS_CHUNK_BYTES, &tallies->threads))
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

static void get_name(uint32_t tid, char name[16])
{
	int fd = proc_open((int)tid, "comm");
	char found[16];
	long length;

	if (fd < 0)
		return;
	length = sys_read(fd, found, sizeof(found));
	if (length > 0) {
		found[length - 1] = '\0'; /* replaces the newline */
		copy_bytes(name, found, (size_t)length);
	}
	sys_close(fd);
}

static void record_thread(struct tallies *tallies, struct tally *tally,
			  uint32_t tid)
{
	struct wire_thread *thread = take_thread_record(tallies);

	tally->tid = tid;
	tally->thread = thread;
	if (!thread)
		return;
	thread->tally = tally->number;
	thread->start_ns = sys_clock_ns(CLOCK_REALTIME);
	if (tally->is_early)
		get_name(tid, thread->name);
	else
		get_own_name(thread->name);
	atomic_store_explicit(&thread->tid, tid, memory_order_release);
}

/*
 * Lets the thread use the struct hot_aside in this tally, if it has none. A
 * forked child continues to use its parent's, because that may contain loans
 * (stack/loans.h).
 */
static void take_aside(struct tally *tally)
{
	if (hot.aside)
		return;
	fill_zero(&tally->aside, offsetof(struct hot_aside, window.words));
	hot.aside = &tally->aside;
}

/*
 * Core files contain the shadow of this much stack of a thread, for this many
 * threads. Each thread costs two mappings.
 */
#define CORE_STACK_BYTES UINT64_C(0x80000)
#define CORE_THREADS_MAX 256

/*
 * Includes the shadow of the thread's own stack in core files, because only the
 * shadow has the return addresses. The rest of the shadow, which spans
 * terabytes, is excluded.
 */
static void let_shadow_into_cores(const struct tallies *tallies)
{
	const uint64_t own_end = runtime_own_stack_end();
	const uint64_t end = own_end ? own_end : rt.first_stack_end;

	if (tallies->count > CORE_THREADS_MAX ||
	    end < hot_shadow_low + CORE_STACK_BYTES)
		return;
	sys_madvise((void *)((uintptr_t)shadow_of(end - CORE_STACK_BYTES) &
			     ~(PAGE_BYTES - 1)),
		    2 * CORE_STACK_BYTES + PAGE_BYTES, MADV_DODUMP);
}

/* Returns a tally for a new thread, or NULL if there is no room. */
static struct tally *new_tally(struct tallies *tallies, uint32_t tid,
			       int may_adopt, uint32_t is_early)
{
	struct tally *tally = NULL;

	if (tallies->count >= TALLY_OWN_MAX && may_adopt)
		tally = adopt_tally(tallies);
	if (!tally)
		tally = make_tally(tallies);
	if (!tally)
		return NULL;
	tally->busy = 0; /* the last owner may have ended in a slow path */
	tally->is_early = is_early;
	record_thread(tallies, tally, tid);
	return tally;
}

struct tally *tallies_make_early(struct tallies *tallies,
				 const struct hot_thread *thread, uint32_t tid)
{
	struct tally *tally = new_tally(tallies, tid, 1, 1);

	if (tally)
		tally->hot = thread;
	return tally;
}

/*
 * Attaches the calling thread to a tally. *blocked is the signal mask that the
 * thread will get back; this function removes the signals that clew needs from
 * it. Returns 0 or -ENOSPC.
 */
static int attach(struct tallies *tallies, uint64_t *blocked)
{
	struct tally *tally;
	uint64_t signals;

	lock_acquire(&tallies->lock, &signals);
	tally = hot_early_tally();
	if (!tally)
		tally = new_tally(tallies, (uint32_t)sys_gettid(), !hot.mask,
				  0);
	if (tally) {
		tally->is_early = 0;
		tally->hot = &hot;
		take_aside(tally);
		let_shadow_into_cores(tallies);
		*blocked &= ~hot_thread_begins(tally);
	}
	lock_release(&tallies->lock, &signals);
	if (!tally)
		return -ENOSPC;
	hot.random =
		(sys_clock_ns(CLOCK_MONOTONIC) ^ (uint64_t)tally->tid << 40) *
			ID_MULTIPLIER |
		1;
	hot.strays_left = tally->memory.patience;
	switch_attach(tally);
	hot_thread_has_begun(tally);
	return 0;
}

void hot_free_held(void)
{
	uint64_t signals;

	if (!hot.tally || runtime_is_filtered())
		return;
	sys_block_signals(&signals);
	if (!hot.tally->busy)
		tally_free_held(hot.tally, &rt.recorder->part);
	sys_restore_signals(&signals);
}

void tallies_finish_thread(void)
{
	uint64_t signals;

	if (!hot.tally || runtime_is_filtered())
		return;
	sys_block_signals(&signals);
	tally_sweep(hot.tally, &rt.recorder->part);
	sys_restore_signals(&signals);
}

void hot_reorder(void)
{
	uint64_t signals;

	hot.strays_left = INT32_MAX;
	if (runtime_is_filtered())
		return;
	sys_block_signals(&signals);
	/*
	 * hot.tally is NULL in a child that a signal handler has forked and
	 * that has no tally.
	 */
	if (hot.tally) {
		hot.strays_left = tally_reorder(hot.tally, &rt.recorder->part);
		switch_attach(hot.tally);
	}
	sys_restore_signals(&signals);
}

static enum wire_fold refusal_by(int err)
{
	if (err == -ENOBUFS)
		return WIRE_FOLD_BYTES;
	if (err == -EXFULL)
		return WIRE_FOLD_GROUP;
	return err == -ENOMEM || err == -EAGAIN ? WIRE_FOLD_MEMORY
						: WIRE_FOLD_SPACE;
}

int hot_make_room(void)
{
	uint64_t signals;
	int err = 0;

	if (runtime_is_filtered()) {
		if (hot.tally)
			hot.tally->refusal = WIRE_FOLD_FILTER;
		return -ENOSPC;
	}
	if (hot.attempts_left && hot.attempts_left--)
		return -ENOSPC;
	sys_block_signals(&signals);
	if (!hot.tally)
		err = attach(&rt.recorder->tallies, &signals);
	if (!err)
		err = tally_grow(hot.tally, &rt.recorder->part);
	/* The table may have changed even if there was an error. */
	if (hot.tally)
		switch_attach(hot.tally);
	if (hot.tally && err)
		hot.tally->refusal = refusal_by(err);
	/* If there is no room, trying again at each call would be expensive. */
	hot.attempts_left = err ? ATTEMPT_EVERY : 0;
	sys_restore_signals(&signals);
	return err;
}

void tallies_begin_thread(void)
{
	switch_begin();
	hot.id = ID_ROOT;
}

int tallies_reserve(uint64_t contexts)
{
	uint64_t signals;
	int err;

	if (!hot.tally && hot_make_room())
		return -ENOSPC;
	sys_block_signals(&signals);
	err = tally_reserve(hot.tally, &rt.recorder->part, contexts);
	switch_attach(hot.tally);
	sys_restore_signals(&signals);
	return err;
}

/* ---- fork ---- */

/*
 * Returns how many bytes from a table's start an interrupted stub may access
 * with an earlier mask.
 */
static uint64_t reach_of(const struct tally *tally)
{
	const uint64_t bytes = sizeof(*tally->table)
			       << tally->memory.active.log2;

	return bytes > tally->memory.reach ? bytes : tally->memory.reach;
}

void tallies_reset_after_fork(struct tallies *tallies, struct part *part)
{
	const uint64_t reach = hot.tally ? reach_of(hot.tally) : tallies->reach;

	*tallies = (struct tallies){ .part = part, .reach = reach };
	switch_begin();
}

void tallies_unmap(struct tallies *tallies)
{
	struct tally_slab *slab = tallies->slabs;

	for (struct tally *t = tallies->first; t; t = t->next)
		tally_unmap(t);
	if (tallies->by_number)
		sys_munmap(tallies->by_number,
			   tallies->room * sizeof(struct tally *));
	while (slab) {
		struct tally_slab *former = slab->former;

		sys_munmap(slab, SLAB_BYTES);
		slab = former;
	}
	*tallies = (struct tallies){ 0 };
}

/* ---- Names ---- */

void tallies_thread_renamed(void)
{
	if (hot.tally && hot.tally->thread)
		get_own_name(hot.tally->thread->name);
}

void tallies_refresh_names(struct tallies *tallies)
{
	uint64_t signals;

	lock_acquire(&tallies->lock, &signals);
	for (struct tally *t = tallies->first; t; t = t->next)
		if (t->thread)
			get_name(t->thread->tid, t->thread->name);
	lock_release(&tallies->lock, &signals);
}
