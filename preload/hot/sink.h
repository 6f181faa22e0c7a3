/* SPDX-License-Identifier: MIT */
/*
 * A sink defines how calls are recorded.
 *
 * The rest of the runtime is the same for all sinks: stubs keep ids, shadow and
 * returns right, landings follow jumps, walks read stacks. A process has one
 * sink at a time, rt.sink, which the configuration selects before the first
 * stub exists:
 *
 *	sink_counting	counts each call (hot/sink.c)
 *	sink_timing	counts and times it (time/exact.c)
 *	sink_of_trace()	writes each call into a packet and counts none; on
 *			request also each return with its time, or call sites
 *			(tracing/traced.c)
 *
 * The template of the sink's stubs, and the thunks that it calls, handle most
 * calls, returns and tail calls. This table of operations handles the events
 * that no stub sees. NULL means that nothing is to be done; off, on and miss
 * are never NULL. The inline functions below test for NULL.
 *
 *	operation	called by	at
 *	off, on		hot		the thread's switch (switch.h)
 *	miss		hot		a call that the stub could not record
 *	resume_call	session		a call that was active when clew
 *					attached, in another, stopped thread
 *	enter, leave	hot		a call on a stack below hot_shadow_low,
 *					and its return
 *	tail		hot		a tail call there
 *	carried		hot		a return to a trampoline (trampoline.h);
 *					the thread still has the callee's id
 *	pause, resume	stack		slow paths of clew's, whose time is not
 *					the program's
 *	jump		stack		a landing further out, or on another
 *					stack
 *	unwind, end	stack		a landing that an unwinder makes
 *	switch_stack	front		swapcontext(), a coroutine's beginning
 *	moved		stack, front	the id has become that of another
 *					function, without a stub: the cases
 *					above
 *	signal_stack	front		sigaltstack()
 *	moment		answers, probe	a notable event between two calls
 *	index		stubs		the creation of a stub
 *	is_leaf_on_top	lookup		a query of a thread's context
 *	begin_thread	time		a thread begins to use a tally
 *	fork		process		a child has become a process of its own
 *	finish		session		the recording ends
 *	add_entry ...	record		a count table is replaced by another
 *
 * All operations concern the calling thread unless noted. As upcalls
 * (upcalls.h), they are safe in signal handlers, re-entered by themselves, and
 * call no libc.
 */
#ifndef CLEW_HOT_SINK_H
#define CLEW_HOT_SINK_H

#include <stdint.h>

#include "preload/hot/runtime.h"
#include "wire/recording.h"

struct stub_template;
struct tally;
struct trampoline;

/*
 * The beginning of a pause, a time that is not the program's: the sink's clock,
 * and hot.accounted at that moment.
 */
struct sink_pause {
	uint64_t start, accounted;
};

struct sink {
	const struct stub_template *stub;
	/*
	 * The template of leaves, if they have their own (runtime.leaf_stub).
	 */
	const struct stub_template *leaf_stub;
	/*
	 * Offset in struct hot_thread of the thunk to which trampolines jump.
	 */
	uint32_t carried_at;
	/*
	 * Whether the sink reads the time stamp counter, which a process may
	 * forbid (prctl(PR_SET_TSC)).
	 */
	uint32_t reads_clock;
	/*
	 * Whether the sink times calls, so that clew measures the cost of
	 * timing.
	 */
	uint32_t times_calls;
	/*
	 * Number of bytes that the sink needs for each stack slot, in addition
	 * to its shadow.
	 */
	uint32_t slot_bytes;
	/*
	 * Number of bytes that the sink needs for each entry of a count table.
	 * They lie before the table.
	 */
	uint32_t entry_bytes;

	/*
	 * The switch of the calling thread (switch.h). `on` stops as soon as
	 * switch_is_on() returns false.
	 */
	void (*off)(void);
	void (*on)(void);

	/*
	 * `slot` is the address where the return address was, or still is.
	 * is_tail is 0, or for a tail call the TRACE_TAIL..._WORD that says
	 * where it counts. For a tail call, miss also makes `id` the thread's
	 * id.
	 */
	void (*miss)(uint64_t *slot, uint64_t id, int is_tail);
	void (*enter)(const uint64_t *slot);
	void (*leave)(const uint64_t *slot);
	void (*tail)(const uint64_t *slot);

	/*
	 * A function has returned to a trampoline. Called by
	 * hot_leave_carried().
	 */
	void (*carried)(const uint64_t *slot, const struct trampoline *one);

	void (*resume_call)(uint64_t at, uint64_t id);

	struct sink_pause (*pause)(void);
	void (*resume)(const struct sink_pause *pause);

	/*
	 * Called before the thread, whose innermost frame is `frame`, leaves
	 * functions by longjmp() or a similar jump. Its stack pointer will then
	 * be `stack`, and the calls in between end. Begins and returns a pause
	 * (see above) for the time of the jump.
	 */
	struct sink_pause (*jump)(const void *frame, uint64_t stack);
	/*
	 * Called before an unwinder jumps to the handler of an exception. `at`
	 * contains the slots of `count` calls, innermost first. The unwinder
	 * has made the first `returning` of these calls, which still return to
	 * it; the others end by the jump. 0: it is unknown which calls the
	 * unwinder has made. Begins and returns a pause.
	 */
	struct sink_pause (*unwind)(const uint64_t *at, uint32_t count,
				    uint32_t returning);
	/*
	 * The call whose slot is `at` was ended by such a jump, at the time
	 * when this pause began.
	 */
	void (*end)(uint64_t at, const struct sink_pause *when);
	/* The thread continues on another stack, and may return to this one. */
	void (*switch_stack)(void);
	/*
	 * The stack now differs from the calls that the thread has recorded.
	 * Functions that were running before may still return, until a call's
	 * slot is at `from` or further out. 0: none of them will return.
	 */
	void (*moved)(uint64_t from);

	/* The thread's alternate signal stack has changed. */
	void (*signal_stack)(void);

	void (*moment)(void);

	/*
	 * Used only if leaf_stub is not NULL. The tally's thread was
	 * interrupted in the leaf `function`, and its id is `id`. Returns
	 * whether the leaf was called through its stub, from the context `id`.
	 */
	int (*is_leaf_on_top)(const struct tally *tally, uint64_t id,
			      uint32_t function);

	/*
	 * Returns the index that stubs of a function contain, or 0 if there is
	 * none. Called only when stubs are created.
	 */
	uint32_t (*index)(uint32_t function);

	void (*begin_thread)(struct tally *tally);
	void (*fork)(void);
	void (*finish)(void);

	/*
	 * The following three handle the sink's data of entry i. They are used
	 * only if entry_bytes is not 0.
	 */
	void (*add_entry)(struct wire_count *to, uint64_t at,
			  struct wire_count *from, uint64_t i);
	int (*has_entry)(struct wire_count *table, uint64_t i);
	/* A stub that a signal has interrupted may still add to the entry. */
	void (*zero_entry)(struct wire_count *table, uint64_t i);
};

extern const struct sink sink_counting, sink_timing;

/* Returns the sink of a trace, by its options (tracing/traced.c). */
struct config;
const struct sink *sink_of_trace(const struct config *config);

/* The templates (hot/stub.S; preload/stubs/stub_template.h). */
extern const struct stub_template hot_stub_plain, hot_stub_leaf, hot_stub_timed,
	hot_stub_traced, hot_stub_traced_leaf, hot_stub_stamped, hot_stub_sited,
	hot_stub_stamped_sited;

/* Returns the size of the sink's data for this much stack. */
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
