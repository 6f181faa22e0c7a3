/* SPDX-License-Identifier: MIT */
/*
 * The steps of attaching and detaching for which all threads are stopped
 * (wire/attachment.h), and the step directly before detaching. The one thread
 * that executes them makes system calls only, because a stopped thread may hold
 * any lock.
 */
#include <errno.h>
#include <link.h>
#include <string.h>

#include "preload/budget/budget.h"
#include "preload/front/agent_entries.h"
#include "preload/front/faults.h"
#include "preload/front/signals.h"
#include "preload/hooking/hook.h"
#include "preload/hooking/hooking_turn.h"
#include "preload/hooking/loader.h"
#include "preload/hooking/shared_text.h"
#include "preload/host/lookup.h"
#include "preload/host/next.h"
#include "preload/host/thread_template.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/switch.h"
#include "preload/lookup/patches.h"
#include "preload/patch/journal.h"
#include "preload/patch/shadowed.h"
#include "preload/patch/stacks.h"
#include "preload/process/process.h"
#include "preload/session/attach.h"
#include "preload/session/begin.h"
#include "preload/session/earlier_frames.h"
#include "preload/session/release.h"
#include "preload/sys/chained.h"
#include "preload/sys/own_code.h"
#include "preload/sys/text.h"
#include "preload/time/sampling.h"
#include "preload/time/watch.h"

static void answer(int err, const char *why)
{
	struct text text =
		text_in(clew_attachment.why, sizeof(clew_attachment.why));

	text_string(&text, why);
	clew_attachment.result = err;
}

/* ---- Positions of threads ---- */

/*
 * Returns whether the memory already contains these bytes: this controller may
 * have written them before, or an earlier one that was killed.
 */
static int is_there(uint64_t at, const uint8_t *bytes, uint64_t count)
{
	uint8_t found[WIRE_ATTACH_TEXT_BYTES];

	return !sys_read_memory(at, found, count) &&
	       !memcmp(found, bytes, count);
}

/*
 * Returns whether pc is behind the first byte of a text (a run of code bytes)
 * that is still to be changed, so that the thread would continue in the middle
 * of the change.
 */
static int is_inside_text(uint64_t pc, int is_detaching)
{
	uint64_t count;
	const struct wire_text *texts = journal_texts(&count);

	for (uint64_t i = 0; i < count; i++) {
		const struct wire_text *text = &texts[i];

		if (!text->is_data && pc > text->at &&
		    pc < text->at + text->bytes &&
		    !is_there(text->at,
			      is_detaching ? text->before : text->after,
			      text->bytes))
			return 1;
	}
	return 0;
}

static int is_in_way(const void *context, uint64_t at, uint64_t word, int is_pc)
{
	return is_pc && is_inside_text(word, 0);
}

static int is_in_way_back(const void *context, uint64_t at, uint64_t word,
			  int is_pc)
{
	return is_pc && is_inside_text(word, 1);
}

/*
 * Returns whether a thread's pc is in clew's code (the thread is entering or
 * leaving a stub, or recording a call), or in libgcc's unwinder.
 */
static int is_ours(const void *context, uint64_t at, uint64_t word, int is_pc)
{
	return is_pc && (own_code_has(word) || pads_have(rt.pads, word) ||
			 next_is_inside(&next.unwinder, word));
}

typedef int (*stopped_visit)(const void *context, uint64_t at, uint64_t word,
			     int is_pc);

/*
 * Returns whether this is clew's own thread (watch.h), which executes no code
 * that clew changes.
 */
static int is_own(const struct wire_stopped *thread)
{
	return (int)thread->tid == watch_tid();
}

static int any_is(const struct stacks *stacks,
		  const struct wire_stopped *threads, uint64_t count,
		  stopped_visit visit)
{
	for (uint64_t i = 0; i < count; i++)
		if (!is_own(&threads[i]) &&
		    (visit(NULL, 0, threads[i].pc, 1) ||
		     stacks_walk(stacks, threads[i].sp, visit, NULL)))
			return 1;
	return 0;
}

static void forget_stacks(struct stacks *stacks)
{
	sys_munmap(stacks, sizeof(*stacks) + STACKS_ROOM_BYTES);
}

/*
 * Finds all stacks, and maps memory to read them with few system calls: a
 * tracer may stop the thread at each call. Returns NULL if that fails.
 */
static struct stacks *map_stacks(void)
{
	struct stacks *stacks =
		sys_map_private(sizeof(*stacks) + STACKS_ROOM_BYTES);

	if (sys_failed(stacks))
		return NULL;
	stacks->room = (uint64_t *)(stacks + 1);
	if (!stacks_init(stacks))
		return stacks;
	forget_stacks(stacks);
	return NULL;
}

/*
 * Returns whether the loader's list of modules is the same as when the modules
 * were hooked, and is not being changed.
 */
static int modules_are_as_noted(void)
{
	const uint64_t generation = lookup_generation();

	return generation && generation == clew_attachment.modules;
}

/* ---- Finishing ---- */

/*
 * Longest wait for the turn (hooking_turn.h). A thread that has it needs a few
 * milliseconds to hook a module.
 */
#define TURN_NS UINT64_C(200000000)

static int retire(struct dl_phdr_info *info, size_t size, void *cold)
{
	clew_attachment.modules = lookup_generation();
	if (!clew_attachment.modules)
		return -EAGAIN;
	hook_retire(cold);
	return 1;
}

/*
 * Takes the turn before the lock of the loader's list, as hook_update() does: a
 * thread in the loader may have the turn and wait for that lock.
 */
static int retire_all(void)
{
	const int is_turn =
		hooking_turn_take(sys_clock_ns(CLOCK_MONOTONIC) + TURN_NS);
	int err;

	if (is_turn < 0)
		return is_turn;
	err = NEXT(dl_iterate_phdr)(retire, rt.cold);
	if (is_turn)
		hooking_turn_give();
	return err < 0 ? err : 0;
}

static void finish(void)
{
	if (attach_end_preparing() == -EAGAIN) {
		answer(-EAGAIN, "clew has not finished hooking its functions");
		return;
	}
	if (retire_all()) {
		answer(-EAGAIN, "it is loading modules");
		return;
	}
	if (process_is_own(0) && (rt.header->state == WIRE_RUNNING ||
				  rt.header->state == WIRE_STARTING)) {
		sampling_end();
		budget_end();
		begin_end();
		atomic_store(&rt.header->state, WIRE_ENDED);
		part_finish(&rt.recorder->part);
		trace_finish(&rt.recorder->trace);
	}
	clew_attachment.state = WIRE_ATTACH_LEFT;
	attach_free_frames();
	attach_report_texts();
	atomic_store(&clew_attachment.finish_wish, 0);
	answer(0, "");
}

/*
 * Finishes the session if the controller has requested this. Called by a thread
 * that has just loaded or unloaded a module, with the loader's lock held. In a
 * program that only loads and unloads modules, the controller can stop no
 * thread outside of the loader.
 */
static void finish_if_wished(void)
{
	if (!atomic_load(&clew_attachment.finish_wish) || !attach_try_call())
		return;
	finish();
	attach_end_call();
}

/* Finishes a session while the program's other threads run. */
EXPORT void clew_attach_finish(void)
{
	const uint32_t muted = attach_mute();
	const int saved_errno = errno;

	if (attach_begin_call()) {
		finish();
		attach_end_call();
	}
	errno = saved_errno;
	switch_unmute(muted);
}

/* ---- Entering ---- */

static int begin_threads(const struct wire_stopped *threads, uint64_t count)
{
	struct wire_frame *frames = (struct wire_frame *)clew_attachment.frames;
	int is_known;

	for (uint64_t i = 0; i < count; i++)
		if (!is_own(&threads[i]) && !threads[i].block)
			return -ENOTSUP;
	sampling_expect_threads(count);
	for (uint64_t i = 0; i < count; i++) {
		if (is_own(&threads[i]))
			continue;
		thread_template_copy(threads[i].block);
		if ((int)threads[i].tid == sys_getpid())
			rt.first_block = threads[i].block;
		is_known = earlier_frames_enter(&threads[i], frames);
		if (!is_known)
			rt.header->rootless_threads++;
		sampling_expect_thread(
			thread_template_of(threads[i].block),
			(uint32_t)threads[i].tid,
			&(struct early_frames){
				.items = frames + threads[i].first_frame,
				.count = is_known ? threads[i].frame_count : 0,
			});
	}
	return 0;
}

static void enter(const struct stacks *stacks,
		  const struct wire_stopped *threads, uint64_t count)
{
	if (any_is(stacks, threads, count, is_in_way)) {
		answer(-EAGAIN,
		       "a thread is executing code that clew must change");
	} else if (begin_threads(threads, count)) {
		answer(-ENOTSUP,
		       "a thread has no thread control block of glibc");
	} else {
		shared_texts_check();
		journal_set_deferring(0);
		if (clew_attachment.opened)
			signals_open_actions();
		if (clew_attachment.alternate_is_shared)
			chained_stop_alternate_stacks(1);
		loader_also_call(finish_if_wished);
		clew_attachment.state = WIRE_ATTACH_ENTERED;
		rt.sessions++;
		rt.cold->is_entered = 1;
		atomic_store(&rt.header->state, WIRE_RUNNING);
		sampling_meet_expected();
		answer(0, "");
	}
}

static void try_entering(const struct wire_stopped *threads, uint64_t count)
{
	struct stacks *stacks;

	if (!modules_are_as_noted()) {
		answer(-EAGAIN, "it is loading modules");
		return;
	}
	stacks = map_stacks();
	if (!stacks) {
		answer(-ENOMEM, "its stacks cannot be read");
		return;
	}
	enter(stacks, threads, count);
	forget_stacks(stacks);
}

EXPORT void clew_attach_enter(const struct wire_stopped *threads,
			      uint64_t count)
{
	if (!attach_begin_call())
		return;
	try_entering(threads, count);
	attach_end_call();
}

static void share(void)
{
	clew_attachment.shared_count = 0;
	if (clew_attachment.state != WIRE_ATTACH_ENTERED) {
		answer(-EINVAL, "it has not been entered");
		return;
	}
	clew_attachment.shared_count = shared_texts_map();
	answer(0, "");
}

EXPORT void clew_attach_share(const struct wire_stopped *threads,
			      uint64_t count)
{
	if (!attach_begin_call())
		return;
	share();
	attach_end_call();
}

/* ---- Detaching ---- */

/*
 * Result of one walk through all stacks. All checks use the same result,
 * because each walk makes system calls, at which a tracer may stop the thread.
 */
static struct {
	struct wire_stack_word *items;
	uint64_t count;
	int is_in_way; /* a thread is inside of code that must be restored */
	int is_ours;   /* a thread's pc is in clew's code */
} words;

static int begin_words(void)
{
	void *at = words.items;

	if (!at)
		at = place_map(WIRE_ATTACH_WORDS_MAX * sizeof(*words.items),
			       SYS_PROT_OURS,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			       0);
	if (sys_failed(at))
		return -ENOMEM;
	words.items = at;
	words.count = 0;
	words.is_in_way = words.is_ours = 0;
	return 0;
}

/*
 * Returns whether pc is in code that detaching frees. The library itself stays
 * mapped, and so do bridges through which Java has called natives.
 */
static int is_left(uint64_t pc)
{
	return own_code_has(pc) && !own_code_is_library(pc);
}

/*
 * If the stack word is the address of a stub's exit or of a trampoline, adds
 * the real return address to the words that the controller restores. If that
 * address itself lies in a stub, because a displaced instruction has made the
 * call, it is not restored.
 */
static int restore_word(const void *context, uint64_t at, uint64_t word,
			int is_pc)
{
	const struct trampoline *one = is_pc ? NULL : trampoline_at(word);
	const struct shadow_slot *shadow = NULL;

	if (one)
		shadow = &one->slot;
	else if (!is_pc && runtime_is_exit(word))
		shadow = shadow_of(at);
	if (shadow && shadow->return_address &&
	    !is_left(shadow->return_address)) {
		if (words.count == WIRE_ATTACH_WORDS_MAX)
			return -ENOSPC;
		words.items[words.count++] =
			(struct wire_stack_word){ at, shadow->return_address };
	}
	return 0;
}

/*
 * Returns whether the thread's return addresses are back on its stack while an
 * exception unwinds (stack/loans.h).
 */
static int is_unwinding(const struct wire_stopped *thread)
{
	return thread_template_of(thread->block)->loans.borrower != 0;
}

/*
 * Returns a negative error if too many words are found, and 1 if detaching is
 * impossible now.
 */
static int see_word(const void *context, uint64_t at, uint64_t word, int is_pc)
{
	if (is_pc) {
		words.is_in_way |= is_in_way_back(context, at, word, 1);
		words.is_ours |= is_ours(context, at, word, 1) != 0;
	}
	return words.is_in_way ? 1 : restore_word(context, at, word, is_pc);
}

static int see_all(const struct stacks *stacks,
		   const struct wire_stopped *threads, uint64_t count)
{
	int result = 0;

	for (uint64_t i = 0; i < count && !result; i++) {
		const int is_watch = is_own(&threads[i]);

		if (!is_watch)
			result = see_word(NULL, 0, threads[i].pc, 1);
		if (!result)
			result = stacks_walk(stacks, threads[i].sp,
					     is_watch ? restore_word : see_word,
					     NULL);
	}
	return result;
}

static int may_detach(const struct wire_stopped *threads, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		if (threads[i].block && is_unwinding(&threads[i]))
			return 0;
	return !words.is_ours;
}

/*
 * Returns whether the hooks can be removed: no stopped thread holds the
 * patches' lock, and none is inside of code that must be restored.
 */
static int may_unhook(void)
{
	return !rt.patches->lock.held && !words.is_in_way;
}

static void detach(const struct stacks *stacks,
		   const struct wire_stopped *threads, uint64_t count)
{
	const int is_full = see_all(stacks, threads, count) < 0;
	int err;

	clew_attachment.may_unhook = may_unhook();
	if (clew_attachment.may_unhook)
		shared_texts_unmap(0);
	if (!clew_attachment.may_unhook || !may_detach(threads, count)) {
		answer(-EAGAIN, "a thread is executing clew's code, so clew "
				"cannot detach");
		return;
	}
	err = is_full ? -ENOSPC : shadowed_walk(stacks, restore_word, NULL);
	if (err) {
		answer(err, err == -ENOSPC ? "too many hooked functions are "
					     "active on its stacks"
					   : "its stacks cannot be read");
		return;
	}
	signals_close_actions();
	faults_end();
	clew_attachment.words = (uintptr_t)words.items;
	clew_attachment.word_count = words.count;
	answer(0, "");
}

static void try_detaching(const struct wire_stopped *threads, uint64_t count)
{
	struct stacks *stacks;

	clew_attachment.may_unhook = 0;
	if (!modules_are_as_noted()) {
		answer(-ESTALE, "it has loaded or unloaded modules");
		return;
	}
	stacks = begin_words() ? NULL : map_stacks();
	if (!stacks) {
		answer(-ENOMEM, "its stacks cannot be read");
		return;
	}
	detach(stacks, threads, count);
	forget_stacks(stacks);
}

EXPORT void clew_attach_detach(const struct wire_stopped *threads,
			       uint64_t count)
{
	if (!attach_begin_call())
		return;
	try_detaching(threads, count);
	attach_end_call();
}

/* ---- Freeing ---- */

static void try_releasing(const struct wire_stopped *threads, uint64_t count)
{
	const uint64_t most = clew_attachment.code_count;
	struct stacks *stacks = map_stacks();

	clew_attachment.code_count = 0;
	if (!stacks || !words.items) {
		answer(-ENOMEM, "its stacks cannot be read");
		return;
	}
	agent_entries_end();
	if (rt.cold)
		release_session(
			rt.cold, stacks,
			&(struct release){
				.threads = threads,
				.thread_count = count,
				.code = words.items,
				.code_count =
					most < WIRE_ATTACH_WORDS_MAX ? most : 0,
			});
	forget_stacks(stacks);
	sys_madvise(words.items, WIRE_ATTACH_WORDS_MAX * sizeof(*words.items),
		    MADV_DONTNEED);
	attach_report_texts();
	answer(0, "");
}

EXPORT void clew_attach_release(const struct wire_stopped *threads,
				uint64_t count)
{
	if (!attach_begin_call())
		return;
	try_releasing(threads, count);
	attach_end_call();
}
