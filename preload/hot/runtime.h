/* SPDX-License-Identifier: MIT */
/*
 * What all of libclew.so knows of the process that it is in: `rt`, its one global
 * variable. What concerns one file only is static there.
 *
 * Written while the process has one thread (before main, and in a forked child),
 * and read by any thread afterwards; members for which that does not hold say so.
 */
#ifndef CLEW_HOT_RUNTIME_H
#define CLEW_HOT_RUNTIME_H

#include <stdint.h>

#include "preload/hot/layout.h"
#include "preload/hot/thread.h"
#include "preload/hot/thread_block.h"
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
	struct wire_header *header; /* of the recording's part */
	/* Of the header, or of the nearest ancestor's that has a file. */
	_Atomic uint64_t *losses;
	const struct sink *sink; /* never NULL (sink.h) */
	/* The template of leaves' stubs; NULL: they have the sink's. */
	const struct stub_template *leaf_stub;
	/* Each says in its own header who may touch what is in it. */
	struct recorder *recorder;
	const struct config *config;
	const struct windows *windows;
	const struct pads *pads;
	struct patches *patches;
	struct lock *code_lock; /* of patches: to change code, and to fork */
	struct cold *cold;
	uint64_t max_contexts; /* past it contexts fold, for this reason: */
	enum wire_fold max_contexts_cause;
	uint32_t verify_period;        /* 0: never verify */
	uint32_t folds_recursion;      /* recursion.h */
	const struct tally *folded_in; /* or NULL: recursion_look_in() */
	uint32_t begins_unwanted; /* threads do: the user will switch them on */
	/* Where functions on stacks below hot_shadow_low return to in a stub. */
	uint32_t exit_elsewhere_at;
	uint32_t exit_until;      /* where an exit ends, in a stub */
	uint32_t stub_bytes;      /* of all but leaves' */
	uint64_t first_block;     /* the first thread's control block */
	uint64_t first_stack_end; /* and where its stack ends, nearly */
	/*
	 * Where the records of trampolines are, and their code (trampoline.h):
	 * stored last, 0 where there are none.
	 */
	uint64_t trampoline_records;
	uint64_t trampolines;
	/*
	 * Called where a function returns this value to a trampoline, or NULL. The slot is that
	 * of its return address; the thread's id is still that of the function. Stored before there is
	 * a trampoline. Safe in signal handlers, calls no libc.
	 */
	void (*call_ends)(const uint64_t *slot, uint64_t result);
	/*
	 * Points to 1, in a page that the kernel wipes in a forked child
	 * (MADV_WIPEONFORK): 0 until the child has a part of its own. So a
	 * child is noticed that no handler of fork() was called for.
	 */
	uint32_t *is_this_process;
	/*
	 * From the handler before a fork to the one behind it: the thread that
	 * forks finds out, and others, which earlier handlers may have made in
	 * the child, wait for that. Under code_lock.
	 */
	uint32_t is_forking;
	_Atomic uint64_t lost_meanwhile; /* calls of those others, any thread */
	uint64_t fork_tsc; /* of the one under way; under code_lock */
	/*
	 * The library was loaded while the program ran (attach.c): it is in front
	 * of libc by patches of entries, hooks have no breakpoints, and it may
	 * leave and come again.
	 */
	uint32_t is_late;
	/*
	 * In a forked child: its thread is in functions that its parent had recorded,
	 * and has no tally until it calls something (stack/callers.h).
	 */
	uint32_t is_heir;
	uint32_t asks_generated; /* which generated code calls (config.h) */
	/*
	 * Java methods tell of their calls themselves (jvm/java_exact.h): their
	 * contexts have no place on the stack. Stored before the first does.
	 */
	uint32_t counts_java;
	uint64_t
		sessions; /* that have entered; changes while all threads are stopped */
	/* A language's layer says so that it gets on (late_runtimes.c), or NULL. */
	_Atomic uint64_t *late_steps;
	/*
	 * Where the library was there from the start: a layer that counts when it is
	 * switched on only says so here, WIRE_RUNTIMES_FOUND.
	 */
	_Atomic uint32_t *runtimes;
	/* Any thread, at any time (filter.h): */
	uint32_t is_filtered;   /* no system calls may be made */
	uint32_t sections;      /* under way with signals blocked */
	uint32_t is_unrecorded; /* header is another's, for losses only */
};

extern struct runtime rt;

/*
 * The window map: one byte, WINDOW_..., for each 16 MiB of address space. Set
 * before what is there can run.
 */
extern uint8_t hot_windows[WINDOW_COUNT];

/* Whether the calling thread may be in hooked functions. */
static inline int runtime_has_callers(void)
{
	return hot.tally || rt.is_late || rt.is_heir;
}

/* Whether the calling thread may make no system calls. */
static inline int runtime_is_filtered(void)
{
	return __atomic_load_n(&rt.is_filtered, __ATOMIC_SEQ_CST) ||
	       (hot.selector && *hot.selector);
}

/*
 * Where the stack ends that libc made for this thread: its control block is at
 * the top. 0 for the first thread, whose block is among the mappings, where
 * others end up below it, coroutines' stacks among them.
 */
static inline uint64_t runtime_own_stack_end(void)
{
	uint64_t block = thread_block();

	return block == rt.first_block ? 0 : block;
}

/* Whether it was attached to and is to be left: nothing is counted any more. */
static inline int runtime_is_being_left(void)
{
	return rt.is_late && rt.header && rt.header->state == WIRE_ENDED;
}

/* What is known of where any word points to. */
static inline uint8_t runtime_window(uint64_t word)
{
	return word >> WINDOW_SHIFT < WINDOW_COUNT
		       ? hot_windows[word >> WINDOW_SHIFT]
		       : WINDOW_UNKNOWN;
}

/* Whether any word is an address in a block of stubs. */
static inline int runtime_is_stub(uint64_t word)
{
	return runtime_window(word) == WINDOW_STUBS;
}

/*
 * Whether any word is the address at which functions wait that a stub has
 * called: whoever changes the word wants to know. Data may point into a block
 * of stubs by chance, as a small int does beside the upper half of an address
 * that was there before; and a stub that is interrupted half-way has others.
 */
static inline int runtime_is_exit(uint64_t word)
{
	return (word % STUB_BYTES == STUB_EXIT_AT ||
		word % STUB_BYTES == rt.exit_elsewhere_at) &&
	       word % (UINT64_C(1) << WINDOW_SHIFT) >= WINDOW_HEAD_BYTES &&
	       runtime_is_stub(word);
}

/* The key of the function whose stub a pc is in: they stand in rows. */
static inline uint64_t runtime_stub_key(uint64_t pc)
{
	uint64_t stub = pc & ~(STUB_BYTES - UINT64_C(1));

	return (uint64_t)(int64_t) * (const int32_t *)(stub + STUB_KEY_AT);
}

#endif
