/* SPDX-License-Identifier: MIT */
/*
 * `rt`: the global state of libclew.so. State that concerns one file only is
 * static in that file.
 *
 * Unless their comments say otherwise, members are written while no other
 * thread runs hooked code (before main, in a forked child, and while clew
 * attaches), and read by any thread afterwards.
 */
#ifndef CLEW_HOT_RUNTIME_H
#define CLEW_HOT_RUNTIME_H

#include <stdint.h>

#include "preload/hot/layout.h"
#include "preload/hot/thread.h"
#include "preload/hot/thread_block.h"
#include "wire/avoidable.h"
#include "wire/id.h"
#include "wire/recording.h"

struct cold;
struct config;
struct lock;
struct pads;
struct patches;
struct recorder;
struct sink;
struct windows;

struct runtime {
	struct wire_header *header; /* header of the recording's part */
	/*
	 * Counters of lost calls, in this process's header or in the header of
	 * the nearest ancestor process that has a part.
	 */
	_Atomic uint64_t *losses;
	const struct sink *sink; /* never NULL (sink.h) */
	/*
	 * The template for stubs of leaves, or NULL if leaves have the same
	 * template as other functions.
	 */
	const struct stub_template *leaf_stub;
	/*
	 * The header file that defines each structure says which threads may
	 * access its members.
	 */
	struct recorder *recorder;
	const struct config *config;
	const struct windows *windows;
	const struct pads *pads;
	struct patches *patches;
	/* The lock of patches: for changes of code and for fork(). */
	struct lock *code_lock;
	struct cold *cold;
	/*
	 * The limit of contexts, and the reason that is reported for folding
	 * beyond it. Also written by any thread that requests a system call
	 * filter (process/filter.h).
	 */
	uint64_t max_contexts;
	enum wire_fold max_contexts_cause;
	uint32_t verify_period; /* 0: never verify */
	/*
	 * Number of contexts of a thread's tally beyond which recursion is
	 * folded there.
	 */
	uint64_t fold_beyond;
	const struct tally *folded_in; /* recursion_use_tally(), or NULL */
	/*
	 * The time that samples in stubs and trampolines represent. Any thread
	 * may add to it, atomically.
	 */
	_Atomic uint64_t stub_sampled_ns;
	/*
	 * Calls of a new thread are not traced until the user switches its
	 * trace on.
	 */
	uint32_t begins_unwanted;
	/*
	 * Offset of the exit in a stub of calls on stacks below hot_shadow_low.
	 */
	uint32_t exit_elsewhere_at;
	/* Offset in a stub of the end of its exit's code. */
	uint32_t exit_until;
	uint32_t stub_bytes;  /* size of each stub that is not a leaf's */
	uint64_t first_block; /* address of the main thread's control block */
	/* approximate end of the main thread's stack */
	uint64_t first_stack_end;
	/*
	 * Addresses of the records and of the code of trampolines
	 * (trampoline.h). Stored last; 0 if there are none.
	 */
	uint64_t trampoline_records;
	uint64_t trampolines;
	/*
	 * Called when a function returns `result` to a trampoline; may be NULL.
	 * `slot` is that of the return address; the thread's id is still the
	 * function's. Stored before the first trampoline exists. Safe in signal
	 * handlers, calls no libc.
	 */
	void (*call_ends)(const uint64_t *slot, uint64_t result);
	/*
	 * Points to 1 in a page that the kernel zeroes in a forked child
	 * (MADV_WIPEONFORK). The value is 0 until the child has a part of its
	 * own, so a child notices a fork for which no atfork handler ran.
	 */
	uint32_t *is_this_process;
	/*
	 * 1 from clew's first atfork handler to its last one, in which the
	 * forking thread handles the fork. Other atfork handlers may create
	 * threads in the child meanwhile; calls of those are lost. Protected by
	 * code_lock.
	 */
	uint32_t is_forking;
	/* Number of these lost calls. Any thread writes it. */
	_Atomic uint64_t lost_meanwhile;
	/* When the present fork began, protected by code_lock. */
	uint64_t fork_tsc;
	/*
	 * The library was loaded while the program ran (attach.c): it
	 * intercepts libc by patches of function entries, hooks have no
	 * breakpoints, and it may detach and attach again.
	 */
	uint32_t is_late;
	/*
	 * In a forked child: the thread is in functions that its parent had
	 * recorded, and has no tally until its first call (stack/callers.h).
	 */
	uint32_t is_heir;
	/*
	 * generated code that calls native functions becomes part of contexts
	 * (config.h)
	 */
	uint32_t asks_generated;
	/*
	 * Returns the function of the context with this id if the function
	 * reports its own calls, which then have no stack slot; otherwise 0.
	 * NULL: no function does. A managed runtime's layer stores it before
	 * the first such call. Any thread, safe in signal handlers.
	 */
	uint32_t (*slotless_function)(uint64_t id);
	/*
	 * Number of attached sessions so far; changes while all threads
	 * are stopped.
	 */
	uint64_t sessions;
	/*
	 * NULL, or a counter to which a layer that attaches to its runtime adds
	 * 1 after each step, as a sign of progress (late_runtimes.c).
	 */
	_Atomic uint64_t *late_steps;
	/*
	 * NULL, or a word in which a layer that counts only after it is
	 * switched on (--java=standby) stores WIRE_RUNTIMES_FOUND.
	 */
	_Atomic uint32_t *runtimes;
	/* Written by any thread at any time (filter.h): */
	uint32_t is_filtered; /* no system calls may be made */
	/* number of active code sections that have blocked signals */
	uint32_t sections;
	/*
	 * `header` belongs to another process, and only its counters of losses
	 * may be used.
	 */
	uint32_t is_unrecorded;
	/*
	 * Set of system calls that may not be made (wire/avoidable.h). Stored
	 * before any of them could be made.
	 */
	uint64_t avoided;
};

extern struct runtime rt;

/*
 * The window map: one byte (WINDOW_...) for each 16 MiB of address space. A
 * byte is set before code in its window can run.
 */
extern uint8_t hot_windows[WINDOW_COUNT];

/* Returns whether hooked functions may be active in the calling thread. */
static inline int runtime_has_callers(void)
{
	return hot.tally || rt.is_late || rt.is_heir;
}

/* Returns whether the calling thread must not make system calls. */
static inline int runtime_is_filtered(void)
{
	return __atomic_load_n(&rt.is_filtered, __ATOMIC_SEQ_CST) ||
	       (hot.selector && *hot.selector);
}

/*
 * Returns whether this system call may not be made, because of a filter that
 * the process had before it was recorded.
 */
static inline int runtime_avoids(long number)
{
	const uint64_t bit = wire_avoidable_bit(number);

	return bit && rt.avoided & bit;
}

/*
 * Returns the end of the stack that libc created for this thread, at whose top
 * libc places the thread's control block. Returns 0 for the main thread, whose
 * control block is in a mapping of its own: other stacks may lie below it,
 * those of coroutines for example.
 */
static inline uint64_t runtime_own_stack_end(void)
{
	uint64_t block = thread_block();

	return block == rt.first_block ? 0 : block;
}

/*
 * Returns whether the session of an attached clew has ended, by detaching or by
 * exit().
 */
static inline int runtime_is_detaching(void)
{
	return rt.is_late && rt.header && rt.header->state == WIRE_ENDED;
}

/* Returns the window map's byte for an arbitrary word. */
static inline uint8_t runtime_window(uint64_t word)
{
	return word >> WINDOW_SHIFT < WINDOW_COUNT
		       ? hot_windows[word >> WINDOW_SHIFT]
		       : WINDOW_UNKNOWN;
}

/* Returns whether an arbitrary word is an address in a block of stubs. */
static inline int runtime_is_stub(uint64_t word)
{
	return runtime_window(word) == WINDOW_STUBS;
}

/*
 * Returns whether an arbitrary word is the address of a stub's exit, to which a
 * function returns. The test is exact, because callers change the word, and
 * data may look like an address in a block of stubs by chance. A stub that a
 * signal interrupts may have other addresses of the stub on the stack.
 */
static inline int runtime_is_exit(uint64_t word)
{
	return (word % STUB_BYTES == STUB_EXIT_AT ||
		word % STUB_BYTES == rt.exit_elsewhere_at) &&
	       word % (UINT64_C(1) << WINDOW_SHIFT) >= WINDOW_HEAD_BYTES &&
	       runtime_is_stub(word);
}

/* Returns the key of the function whose stub contains pc. Stubs are aligned. */
static inline uint64_t runtime_stub_key(uint64_t pc)
{
	uint64_t stub = pc & ~(STUB_BYTES - UINT64_C(1));

	return (uint64_t)(int64_t) * (const int32_t *)(stub + STUB_KEY_AT);
}

#endif
