/* SPDX-License-Identifier: MIT */
/*
 * Upcalls: functions that a room calls and a later room defines.
 * scripts/links.py checks that there are no others.
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
 *	hot_trace             hot               tracing/traced.c
 *	hot_trace_return      hot               tracing/traced.c
 *	hot_early_tally       record/tallies.c  time/sampling.c
 *	hot_thread_begins     record/tallies.c  time/sampling.c
 *	hot_thread_has_begun  record/tallies.c  time/sampling.c
 *	hot_after_unseen_fork hot               process/process.c
 *	hot_id_at             time              lookup/leaf_ids.c
 *	hot_function_at       stack             lookup/function_at.c
 *	hot_program_pc        time              lookup/displaced.c
 *
 * All upcalls are safe in signal handlers, in threads that clew has not seen
 * yet, and re-entered by themselves. None calls libc.
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
 * Makes room for another context in the calling thread's tally, and attaches
 * the thread to a tally if it has none. Returns 0 or -errno.
 */
int hot_make_room(void);

/*
 * Rebuilds the calling thread's count table, so that busy contexts get their
 * home entries, or sweeps the table that this one has replaced. Does nothing
 * under a system call filter. Called after hot.strays_left calls whose context
 * was not at its home entry.
 */
void hot_reorder(void);

/* Frees tables that were replaced while slow paths were interrupted in them. */
void hot_free_held(void);

/*
 * Returns a table in which no id is found, as large as the largest table of the
 * process (record/blank.h).
 */
struct wire_count *hot_blank_table(void);

/*
 * Returns the histogram for calls of the context with this id and function, or
 * NULL.
 */
uint64_t *hot_histogram(struct tally *tally, uint64_t id, uint32_t function);

/*
 * Records the callers of a function that is being entered in the calling
 * thread's tally, if they are not recorded there and the stack shows them. Does
 * nothing under a system call filter.
 */
void hot_record_callers(uint64_t callee);

/*
 * Records the context `id` of an active function, whose slot is `slot` or
 * further out, and those of its callers, if they are not recorded in the
 * calling thread's tally and the stack shows them. Attaches the thread to a
 * tally if it has none. Called for functions that were active before clew
 * attached, when they are about to return or to make a tail call, and for those
 * of a forked child.
 */
void hot_record_running(const uint64_t *slot, uint64_t id);

/*
 * The thread's id may be stale, because clew has not noticed a jump or an
 * exception. Checks on the stack which function has called the function that is
 * being entered at the slot. Returns the right id of the latter, which is `id`
 * if the caller is right or cannot be checked; another id is also stored as the
 * thread's. Called while the thread is in doubt (switch.h), and for slots
 * within this distance from the beginning of the thread's stack:
 */
#define HOT_THREAD_END_BYTES 16384
uint64_t hot_correct_caller(uint64_t *slot, uint64_t id);

/*
 * Sets the thread's context to the generated code whose return address is in
 * the slot, until the call returns. Changes nothing if there is no room for a
 * number or a trampoline.
 */
void hot_enter_generated(uint64_t *slot);

/*
 * For HOT_MUTED_SHARED: lets the thread count again if no other thread shares
 * its thread pointer any more. Returns the id of the function that is entered
 * at the slot.
 */
uint64_t hot_try_end_sharing(uint64_t slot, struct shadow_slot *shadow,
			     uint64_t id);

/*
 * Maps zeroed memory for the tables of tail calls (tails.h). Returns NULL on
 * failure.
 */
void *hot_map_tails(uint64_t bytes);
void hot_unmap_tails(void *memory, uint64_t bytes);

/* Maps the shadow of a stack slot below hot_shadow_low. Returns 0 or -errno. */
int hot_map_shadow(uint64_t stack);

/*
 * Compares the ids of the calling thread with its stack, from slot outwards,
 * and counts the result in `verdicts`. Returns 1 if they agree; 0 if not, or if
 * two contexts have the same id; -1 if that cannot be decided.
 */
int hot_verify_stack(const uint64_t *slot, struct wire_verdicts *verdicts);

/*
 * Called by a thunk in a process that records a trace, if the stub could not
 * write the words of a call. The function at the slot is about to be entered.
 * `end` is the end of the words that the stub has claimed in the packet, or 0
 * if it has none. If it has claimed a single word, `word` is the value to
 * write.
 */
void hot_trace(uint64_t *slot, uint32_t index, uint64_t end, uint32_t tail_word,
	       uint32_t word);

/*
 * Called by the exit of a stub that stamps returns, with the time. The slot has
 * an address in the stub. The thread's id becomes the caller's afterwards.
 */
void hot_trace_return(const uint64_t *slot, uint64_t tsc);

/*
 * A function has returned `result` (rax) to a trampoline, whose address is
 * still in the slot. Replaces that address by the return address. Not called in
 * all processes (see returns_are_reported() in trampolines.c).
 */
void hot_leave_carried(uint64_t *slot, const struct trampoline *one,
		       uint64_t result);

/* Records how long the calling thread has existed, and its CPU time. */
void hot_note_presence(void);

/*
 * Returns the tally that another thread has created for the calling thread in
 * advance, or NULL. Called under the tallies' lock.
 */
struct tally *hot_early_tally(void);

/*
 * The calling thread begins to count in a tally. hot_thread_begins() is called
 * with the tallies' lock held and returns the signals that the thread must not
 * block. hot_thread_has_begun() is called when the thread's stubs count in the
 * tally.
 */
uint64_t hot_thread_begins(struct tally *tally);
void hot_thread_has_begun(struct tally *tally);

/*
 * Handles the first call in a forked child for which no atfork handler ran:
 * makes the child a process of its own, unless a signal handler's call has just
 * done so.
 */
void hot_after_unseen_fork(void);

/*
 * Returns the id of the context in which a tally's thread was interrupted at
 * pc. In a leaf that was called through its stub (hot/stub_leaf.inc) this is a
 * child of the thread's id, otherwise the thread's id.
 */
uint64_t hot_id_at(const struct tally *tally, uint64_t pc);

/* Returns the number of the hooked function that contains pc, or 0. */
uint32_t hot_function_at(uint64_t pc);

/*
 * If pc is in a stub, at an instruction that the stub executes instead of the
 * function, returns that instruction's address in the program; otherwise
 * returns pc.
 */
uint64_t hot_program_pc(uint64_t pc);

#endif
