/* SPDX-License-Identifier: MIT */
/*
 * Upcalls: what a room calls and a room above it defines. There are no others
 * (scripts/links.py looks at the objects).
 *
 *	function              called by         defined in
 *	hot_make_room         hot               record/tallies.c
 *	hot_reorder           hot               record/tallies.c
 *	hot_free_held         hot               record/tallies.c
 *	hot_blank_table       hot               record/blank.c
 *	hot_histogram         hot               record/histograms.c
 *	hot_record_callers    hot               stack/callers.c
 *	hot_record_running    hot               stack/callers.c
 *	hot_correct_caller    hot               stack/heal.c
 *	hot_enter_generated   hot               stack/generated_callers.c
 *	hot_try_end_sharing   hot               stack/sharing.c
 *	hot_map_shadow        hot               stack/shadow_pieces.c
 *	hot_map_tails         hot               record/tail_levels.c
 *	hot_unmap_tails       hot               record/tail_levels.c
 *	hot_verify_stack      hot               stack/verify.c
 *	hot_leave_carried     hot               stack/trampolines.c
 *	hot_note_presence     hot               time/presence.c
 *	hot_trace             hot               time/traced.c
 *	hot_trace_return      hot               time/traced.c
 *	hot_early_tally       record/tallies.c  time/sampling.c
 *	hot_thread_begins     record/tallies.c  time/sampling.c
 *	hot_thread_has_begun  record/tallies.c  time/sampling.c
 *	hot_after_unseen_fork hot               process/process.c
 *	hot_id_at             time              patch/leaf_ids.c
 *	hot_function_at       stack             patch/function_at.c
 *
 * All are safe in signal handlers, in threads that clew has not met yet, and
 * re-entered by themselves; none calls libc.
 */
#ifndef CLEW_HOT_UPCALLS_H
#define CLEW_HOT_UPCALLS_H

#include <stdint.h>

struct shadow_slot;
struct tally;
struct trampoline;
struct wire_count;
struct wire_verdicts;

/*
 * Room for another context of the calling thread's, which is attached to a tally
 * first if it has none. 0 or -errno.
 */
int hot_make_room(void);

/* Called after strays_left calls were not counted at home. */
void hot_reorder(void);

/* Let go of tables that were left while slow paths were interrupted in them. */
void hot_free_held(void);

/*
 * A table in which no id is found, as large as the largest of the process
 * (record/blank.h).
 */
struct wire_count *hot_blank_table(void);

/* The bins for the calls of a context that has this id and function, or NULL. */
uint64_t *hot_histogram(struct tally *tally, uint64_t id, uint32_t function);

/*
 * Record the functions that called this one, which is being entered, in the
 * calling thread's tally, as far as they are not recorded there.
 */
void hot_record_callers(uint64_t callee);

/*
 * Likewise a function that ran before clew came and is about to leave its stack slot,
 * and those that called it.
 */
void hot_record_running(const uint64_t *slot, uint64_t id);

/*
 * The id that the caller has left in the thread may be stale, as after a landing
 * that nobody saw. Returns the right id of the function that is being entered at
 * the slot, which would be `id`, and stores it. Called while the thread is in
 * doubt (switch.h), and so near to where a thread began:
 */
#define HOT_THREAD_END_BYTES 16384
uint64_t hot_correct_caller(uint64_t *slot, uint64_t id);

/*
 * Generated code calls, with its return address in the slot: the thread's context
 * is that code's from now on, until the call returns.
 */
void hot_enter_generated(uint64_t *slot);

/*
 * For HOT_MUTED_SHARED: if nobody shares the thread pointer any more, the thread
 * counts again. Returns the id of the function entered at slot.
 */
uint64_t hot_try_end_sharing(uint64_t slot, struct shadow_slot *shadow,
			     uint64_t id);

/* Zeroed memory for contexts that are reached by tail calls (tails.h), or NULL. */
void *hot_map_tails(uint64_t bytes);
void hot_unmap_tails(void *memory, uint64_t bytes);

/* Shadow for a stack slot below hot_shadow_low. 0 or -errno. */
int hot_map_shadow(uint64_t stack);

/*
 * Compare the ids of the calling thread with its stack, from slot outwards, and
 * add the verdict to the others. 1 if they agree, 0 if not, -1 if that is not
 * decided.
 */
int hot_verify_stack(const uint64_t *slot, struct wire_verdicts *verdicts);

/*
 * In traced processes, from a thunk: the function at the slot is entered, and its
 * words are not written yet. `end`: where they would have ended, or 0 if no place is
 * claimed that is known. If one is for a single word, that is the last.
 */
void hot_trace(uint64_t *slot, uint32_t index, uint64_t end, uint32_t tail_word,
	       uint32_t word);

/*
 * From the exit of a stub that stamps returns, at that time: the slot has an address in the
 * stub. The thread's id will be the caller's then.
 */
void hot_trace_return(const uint64_t *slot, uint64_t tsc);

/*
 * A function has returned this value in rax to a trampoline, whose address is still at the slot;
 * it becomes the return address. Not called in all processes (arch/.../trampolines.c).
 */
void hot_leave_carried(uint64_t *slot, const struct trampoline *one,
		       uint64_t result);

/* How long the calling thread is there, and has run. */
void hot_note_presence(void);

/*
 * Returns the tally that was made for the calling thread, which has none yet, or
 * NULL. Under the lock of the tallies.
 */
struct tally *hot_early_tally(void);

/*
 * The calling thread begins to use a tally: under the lock of the tallies, and
 * once its stubs count in it. Returns signals that it is not to block.
 */
uint64_t hot_thread_begins(struct tally *tally);
void hot_thread_has_begun(struct tally *tally);

/*
 * The first call in a forked child that no handler knows of: make the child a
 * process of its own, unless a signal handler's call has just seen to it.
 */
void hot_after_unseen_fork(void);

/*
 * The id of the context that a tally's thread runs in, which was interrupted at pc: a
 * leaf's (hot/stub_leaf.inc) is its caller's child; else the thread's.
 */
uint64_t hot_id_at(const struct tally *tally, uint64_t pc);

/* The number of the hooked function whose code has that pc, or 0. */
uint32_t hot_function_at(uint64_t pc);

#endif
