/* SPDX-License-Identifier: MIT */
/*
 * A sink: what is done with calls.
 *
 * The rest of the runtime knows who calls whom: stubs keep the id, the shadow
 * and the returns right, landings follow jumps, walks read stacks. What a call
 * leaves in the recording is the sink's business alone. A process has one sink,
 * rt.sink, which its configuration chooses before there is any stub:
 *
 *	sink_counting	counts each call (hot/sink.c)
 *	sink_timing	counts and times it (time/exact.c)
 *	sink_of_trace()	writes down each call, and counts none; or each return, with
 *			its time, or where calls return to, as well (time/traced.c)
 *
 * What happens at nearly every call, return and tail call is in the template of
 * the sink's stubs, and in the thunks that the template calls. This table has
 * the events that no stub sees. NULL stands for "nothing is to be done", except
 * for off, on and miss; the functions below look.
 *
 *	operation	called by	at
 *	off, on		hot		the thread's switch (switch.h)
 *	miss		hot		a call that the stub could not record
 *	resume_call	(top)		a call that was under way when clew came,
 *					in another thread, which is stopped
 *	enter, leave	hot		a call on a stack without a place in the
 *					shadow of its own ("elsewhere"), and its
 *					return
 *	tail		hot		a tail call there
 *	carried		hot		a return to a trampoline (trampoline.h), where the
 *					thread still has the id that it had
 *	pause, resume	stack		slow paths of clew's: no time of the program's
 *	jump		stack		a landing further out, or on another stack
 *	unwind, end	stack		a landing that an unwinder makes
 *	switch_stack	front		swapcontext(), a coroutine's beginning
 *	moved		stack, front	the thread's id has become that of another
 *					function, without any stub: all of the above
 *	signal_stack	front		sigaltstack()
 *	moment		(top)		something of note happens, between two calls
 *	index		stubs		a stub is made
 *	is_leaf_on_top	patch		somebody asks where a thread is
 *	begin_thread	time		a thread begins to use a tally
 *	fork		process		a child has become a process of its own
 *	finish		(top)		the process ends
 *	add_entry ...	record		a count table is left for another
 *
 * All concern the calling thread and make the promise of upcalls (upcalls.h):
 * they are safe in signal handlers, re-entered by themselves, and call no libc.
 */
#ifndef CLEW_HOT_SINK_H
#define CLEW_HOT_SINK_H

#include <stdint.h>

#include "preload/hot/runtime.h"
#include "wire/recording.h"

struct stub_template;
struct tally;
struct trampoline;

/* Since when the program's calls do not go on, as the sink counts. */
struct sink_pause {
	uint64_t start, accounted;
};

struct sink {
	const struct stub_template *stub;
	/* Of functions that call nothing, if theirs is another (runtime.leaf_stub). */
	const struct stub_template *leaf_stub;
	/* Where trampolines go on: the offset in struct hot_thread. */
	uint32_t carried_at;
	/* It reads the time stamp counter, which a process may forbid. */
	uint32_t reads_clock;
	uint32_t times_calls; /* what that costs is to be measured */
	/* What the sink keeps for each slot of a stack, beside its shadow, */
	uint32_t slot_bytes;
	/* ... and in front of a count table, for each of its entries. */
	uint32_t entry_bytes;

	/*
	 * The switch of the calling thread (switch.h). `on` gives way when
	 * switch_is_on() turns false.
	 */
	void (*off)(void);
	void (*on)(void);

	/*
	 * slot is where the return address was, or is. is_tail: 0, or for a tail call the
	 * TRACE_TAIL..._WORD that says where it counts.
	 */
	void (*miss)(uint64_t *slot, uint64_t id, int is_tail);
	void (*enter)(const uint64_t *slot);
	void (*leave)(const uint64_t *slot);
	void (*tail)(const uint64_t *slot);

	/* A call's slot has a trampoline; where `carried_at` says that this is told. */
	void (*carried)(const uint64_t *slot, const struct trampoline *one);

	void (*resume_call)(uint64_t at, uint64_t id);

	struct sink_pause (*pause)(void);
	void (*resume)(const struct sink_pause *pause);

	/*
	 * The thread, whose innermost frame is `frame`, lands at once where its
	 * stack pointer is `stack`: the calls that it leaves end, and a pause
	 * begins, in which it lands.
	 */
	struct sink_pause (*jump)(const void *frame, uint64_t stack);
	/*
	 * The thread lands once the functions that are running have returned.
	 * The slots of `count` calls, innermost first: the first `returning` of
	 * them return to the unwinder, the others have ended. Likewise.
	 */
	struct sink_pause (*unwind)(const uint64_t *at, uint32_t count,
				    uint32_t returning);
	/* A call has ended so, at the moment when a pause began. */
	void (*end)(uint64_t at, const struct sink_pause *when);
	/* The thread goes on on another stack, and may come back. */
	void (*switch_stack)(void);
	/*
	 * What its calls have said of its stack no longer holds. Until a call's
	 * slot is at `from` or further out, functions may still return that were
	 * running before; 0: none will.
	 */
	void (*moved)(uint64_t from);

	/* The thread has another alternate signal stack than before. */
	void (*signal_stack)(void);

	void (*moment)(void);

	/*
	 * Only where there is a leaf_stub: whether the leaf that the tally's thread is in has been
	 * called from the context with this id, which the thread has.
	 */
	int (*is_leaf_on_top)(const struct tally *tally, uint64_t id,
			      uint32_t function);

	/* The number in the stubs of a function, cold; 0: it gets none. */
	uint32_t (*index)(uint32_t function);

	void (*begin_thread)(struct tally *tally);
	void (*fork)(void);
	void (*finish)(void);

	/* Only where there are entry_bytes: what is kept for entry i. */
	void (*add_entry)(struct wire_count *to, uint64_t at,
			  struct wire_count *from, uint64_t i);
	int (*has_entry)(struct wire_count *table, uint64_t i);
	/* An interrupted stub may go on with it. */
	void (*zero_entry)(struct wire_count *table, uint64_t i);
};

extern const struct sink sink_counting, sink_timing;

/* That of a trace, by what is asked for (time/traced.c). */
struct config;
const struct sink *sink_of_trace(const struct config *config);

/* The templates (hot/stub.S; preload/stubs/stub_template.h). */
extern const struct stub_template hot_stub_plain, hot_stub_leaf, hot_stub_timed,
	hot_stub_traced, hot_stub_traced_leaf, hot_stub_stamped, hot_stub_sited,
	hot_stub_stamped_sited;

/* What the sink keeps for so many bytes of stack. */
static inline uint64_t sink_stack_bytes(uint64_t bytes)
{
	return bytes / 8 * rt.sink->slot_bytes;
}

static inline void sink_enter(const uint64_t *slot)
{
	if (rt.sink->enter)
		rt.sink->enter(slot);
}

static inline void sink_leave(const uint64_t *slot)
{
	if (rt.sink->leave)
		rt.sink->leave(slot);
}

static inline void sink_tail(const uint64_t *slot)
{
	if (rt.sink->tail)
		rt.sink->tail(slot);
}

static inline void sink_resume_call(uint64_t at, uint64_t id)
{
	if (rt.sink->resume_call)
		rt.sink->resume_call(at, id);
}

static inline struct sink_pause sink_pause(void)
{
	return rt.sink->pause ? rt.sink->pause() : (struct sink_pause){ 0 };
}

static inline void sink_resume(const struct sink_pause *pause)
{
	if (rt.sink->resume)
		rt.sink->resume(pause);
}

static inline struct sink_pause sink_jump(const void *frame, uint64_t stack)
{
	return rt.sink->jump ? rt.sink->jump(frame, stack)
			     : (struct sink_pause){ 0 };
}

static inline struct sink_pause sink_unwind(const uint64_t *at, uint32_t count,
					    uint32_t returning)
{
	return rt.sink->unwind ? rt.sink->unwind(at, count, returning)
			       : (struct sink_pause){ 0 };
}

static inline void sink_end(uint64_t at, const struct sink_pause *when)
{
	if (rt.sink->end)
		rt.sink->end(at, when);
}

static inline void sink_switch_stack(void)
{
	if (rt.sink->switch_stack)
		rt.sink->switch_stack();
}

static inline void sink_moved(uint64_t from)
{
	if (rt.sink->moved)
		rt.sink->moved(from);
}

static inline void sink_signal_stack(void)
{
	if (rt.sink->signal_stack)
		rt.sink->signal_stack();
}

static inline void sink_moment(void)
{
	if (rt.sink->moment)
		rt.sink->moment();
}

static inline void sink_begin_thread(struct tally *tally)
{
	if (rt.sink->begin_thread)
		rt.sink->begin_thread(tally);
}

static inline void sink_fork(void)
{
	if (rt.sink->fork)
		rt.sink->fork();
}

static inline void sink_finish(void)
{
	if (rt.sink->finish)
		rt.sink->finish();
}

static inline void sink_add_entry(struct wire_count *to, uint64_t at,
				  struct wire_count *from, uint64_t i)
{
	if (rt.sink->add_entry)
		rt.sink->add_entry(to, at, from, i);
}

static inline int sink_has_entry(struct wire_count *table, uint64_t i)
{
	return rt.sink->has_entry && rt.sink->has_entry(table, i);
}

static inline void sink_zero_entry(struct wire_count *table, uint64_t i)
{
	if (rt.sink->zero_entry)
		rt.sink->zero_entry(table, i);
}

#endif
