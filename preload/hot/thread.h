/* SPDX-License-Identifier: MIT */
/*
 * The state of a thread, in thread-local storage.
 *
 * A call in a known context that a stub only counts touches only the first
 * cache line of this data. A new thread has the initial values of state.c: an
 * empty table in which no id is found, so its first call takes the slow path,
 * which attaches the thread. The state is written by the thread itself, by its
 * signal handlers, and by threads or children that share its thread pointer
 * (sharing.h). The watch, which samples by the wall clock, reads the id
 * (time/observation.c).
 */
#ifndef CLEW_HOT_THREAD_H
#define CLEW_HOT_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "preload/hot/layout.h"
#include "wire/recording.h"

struct tally;
struct java_recall;

/* Why a thread's calls are not recorded (switch.h). */
enum hot_muted {
	HOT_IS_HEARD,
	HOT_MUTED_FORK, /* the thread is inside fork(); calls count as lost */
	HOT_MUTED_OWN,  /* the thread executes clew's own calls */
	/*
	 * Several threads share this struct (sharing.h); their calls count as
	 * lost.
	 */
	HOT_MUTED_SHARED,
	/*
	 * The thread is in the handler of a user probe (probe_calls.h); its
	 * calls count as lost.
	 */
	HOT_MUTED_HANDLER,
};

/* The latest setting of a thread by the user's trace switches (switch.h). */
enum hot_wanted {
	HOT_WANTED_AS_BEGUN, /* not set yet: rt.begins_unwanted */
	HOT_IS_WANTED,
	HOT_IS_UNWANTED,
};

#define HOT_SHARERS_MAX 16

/*
 * For HOT_MUTED_SHARED: the threads that share the thread pointer
 * (stack/sharing.c). Those with a known tid are in hot_aside. The thread that
 * owns the block stores `owner` and `from` before it is muted. Any of the
 * threads may change the other members, one word at a time.
 */
struct hot_sharing {
	int32_t owner;
	int32_t unknown; /* sharers that did not fit into hot_aside */
	/*
	 * Stack address where sharing began, or the slot of a later call
	 * further out.
	 */
	uint64_t from;
};

/*
 * The slice of a stack that was copied back last, and a range that may be such
 * a slice (stack/landing_restored.c). A handler that jumps out between two
 * stores leaves bounds that do not fit together; clew then searches a wrong
 * range.
 */
struct hot_slices {
	uint64_t restored_from, restored_until;
	uint64_t perhaps_from, perhaps_until;
};

/*
 * The destination of a longjmp() that is in progress. clew's wrapper of
 * longjmp() stores the stack pointer and then the id (jump_places_find()). The
 * handler of the probe at libc's jump instruction reads both (stack/landing.c).
 * If a signal handler jumps in between, `stack` becomes 0, and the destination
 * is unknown.
 */
struct hot_jump {
	uint64_t stack; /* 0: none */
	uint64_t id;
};

/*
 * Maximum number of loans of one exception. Further out the unwinder meets the
 * frames of stubs.
 */
#define HOT_LOANS_MAX 16

struct loan {
	uint64_t at;   /* stack slot */
	uint64_t word; /* the stub's address, to be restored */
};

/*
 * Return addresses that an exception has on loan (stack/loans.c); the list is
 * in hot_aside. A loan is in the list and in the filter before its slot
 * changes, so that a handler that walks the stack finds the stub's address.
 */
struct hot_loans {
	/*
	 * address of the exception for which return addresses were lent; 0 if
	 * there is none
	 */
	uint64_t borrower;
	/*
	 * bit `at / 8 % 64` is set for each slot on loan, and may be set for
	 * others
	 */
	uint64_t filter;
};

#define HOT_WINDOW_WORDS 2048 /* 16 KiB */

/*
 * Per-thread state that does not fit into the TLS block, whose size is limited
 * (machine/control_block.h). This state is in the thread's first tally, where a
 * forked child also finds it.
 */
struct hot_aside {
	/* With --trace-depth (tracing/trace_depth.h): */
	struct hot_depth {
		uint64_t span; /* size of the window in bytes (trace_span) */
		/*
		 * Calls with slots from `low` to `deep` are too deep while the
		 * function with the slot `deep` runs. 0: none.
		 */
		uint64_t deep, low;
		uint64_t max; /* the option's value */
	} depth;
	struct hot_lent {
		/*
		 * The exception is taken not to have landed while the stack
		 * pointer is further in than this address.
		 */
		uint64_t until;
		uint32_t count;
		struct loan of[HOT_LOANS_MAX];
	} lent;
	int32_t sharers[HOT_SHARERS_MAX]; /* 0: none */
	/*
	 * Trace: the time of the latest time stamp, and the number of calls
	 * from one time stamp to the next (tracing/trace_pace.c).
	 */
	struct hot_stamps {
		uint64_t tsc;
		uint64_t every;
	} stamps;
	/*
	 * When the thread switched to its present stack, and the value of
	 * hot.accounted at that moment (time/exact.c); 0 if the thread has not
	 * switched stacks. A signal handler that switches stacks switches back
	 * before it returns, and stores the time of that last switch here.
	 */
	struct hot_stack_time {
		uint64_t since, accounted;
	} on_stack;
	/* Trace: */
	/* The slot of the call whose return C handles, or has handled last. */
	uint64_t leaving;
	/* The slot of the call for which the latest context was written. */
	uint64_t context_slot;
	/*
	 * Stack slots from the window's base to this address have places in the
	 * words of the packet (tracing/trace_window.h).
	 */
	uint64_t placed_until;
	/*
	 * A part of the stack in which clew keeps a list of return addresses
	 * (stack/heal.h), from its start to its end; 0: none.
	 */
	uint64_t listed_from, listed_until;
	/*
	 * The function in whose slot a virtual thread was mounted or unmounted
	 * (jvm/exact/java_border.h): walks end at this slot until the function
	 * returns.
	 */
	struct hot_border {
		uint64_t slot; /* stack slot of the function */
		uint64_t id;
	} border;
	/*
	 * A copy of stack memory that may be unmapped at any time
	 * (stack/walk_slots.c). It is valid for a walk whose known_page is the
	 * same.
	 */
	struct hot_window {
		/*
		 * address of the copied page; its bits also contain the number
		 * of the copy
		 */
		uint64_t known_page;
		uint64_t bytes;
		uint64_t copies; /* number of copies that were begun */
		uint64_t words[HOT_WINDOW_WORDS];
	} window;
	/*
	 * With --trace-depth: the levels of functions, by the places of their
	 * slots (tracing/trace_depth.h). Written before its first use.
	 */
	uint32_t levels[TRACE_PLACES_BYTES / 8];
};

/*
 * The probe's handler that the thread is in (preload/probe/probe_calls.c). A
 * signal handler on top of it may jump out of both (stack/landing.c).
 */
struct hot_handler {
	/* the stack pointer at the probe; 0 if no handler is running */
	uint64_t frame;
	uint32_t probe; /* the probe's number */
	uint32_t muted; /* the former hot.muted */
};

/*
 * The packet in which the thread's calls write words (wire/packet.h), if the
 * process writes a trace. Written by the thread and by handlers on top of it
 * (tracing/traced.c).
 */
struct hot_packet {
	uint64_t end; /* end of the packet; 0 if there is none */
	/*
	 * The value that hot.trace_limit has while the thread is on (switch.h).
	 */
	uint64_t limit;
	uint64_t settled_from; /* the latest argument of sink->moved() */
	uint8_t is_turning;    /* the next packet is being prepared */
	/*
	 * The stack may differ from the calls that were written, so a context
	 * must be written next.
	 */
	uint8_t moved;
	/*
	 * How many calls to skip before memory for a packet is requested again.
	 */
	uint32_t attempts_left;
};

/*
 * Stubs and thunks use the members before `tally`, and compiled_frame, by the
 * offsets in layout.h. C uses the other members; the comment of each struct
 * says who writes it.
 */
struct hot_thread {
	uint64_t id; /* id of the present context */
	/* mask for byte offsets in the table: 16 * (entries - 1) */
	uint64_t mask;
	struct wire_count *table;
	/*
	 * The following members up to shadow_half are constants. As 64-bit
	 * immediate operands they would make stubs slower (stub.S).
	 */
	uint64_t multiplier; /* ID_MULTIPLIER */
	uint64_t step;       /* WIRE_CALL_STEP */
	/* -SHADOW_STACK_LOW, or 0 if all shadow is in pieces */
	uint64_t entry_base;
	uint64_t exit_base;   /* hot_shadow_half - SHADOW_STACK_LOW - 8 */
	uint64_t shadow_half; /* hot_shadow_half */
	/* Thunks (thunks.inc). */
	void (*miss_call)(void);
	void (*miss_tail)(void);
	void (*verify_call)(void);
	void (*verify_tail)(void);
	void (*enter_elsewhere)(void);
	void (*leave_elsewhere)(void);
	void (*guard)(void);
	const struct native_range *native; /* range of a recent caller */
	void (*probe)(void);
	/*
	 * Ticks since the thread's beginning that already belong to some
	 * context's own time, and ticks that clew's slow paths took (timing.h).
	 */
	uint64_t accounted;
	uint64_t paused;
	void (*close)(void);
	void (*open_tail)(void);
	const uint8_t *windows; /* hot_windows, for tail calls */
	uint64_t time_base;     /* hot_time_third - SHADOW_STACK_LOW - 8 */
	/*
	 * How many more strays (calls whose context is not at its home entry)
	 * are counted before busy contexts are moved to their home entries.
	 */
	int32_t strays_left;
	uint32_t muted; /* enum hot_muted */
	/* Thunks of trampolines. */
	void (*carried)(void);
	void (*carried_reported)(void);
	/* The frame of the innermost bridge, or 0 (jvm/natives/bridge.h). */
	uint64_t java_top;
	/*
	 * Addresses in the packet: of the next word, and the limit up to which
	 * stubs write words by themselves (tracing/traced.c).
	 */
	uint64_t trace_next;
	uint64_t trace_limit;
	/*
	 * Size in bytes of the window, the part of the stack that words
	 * describe. With --trace-depth it is 0, so that stubs call trace_call
	 * for each call.
	 */
	uint64_t trace_span;
	void (*trace_call)(void);
	void (*trace_tail)(void);
	void (*trace_return)(void);
	uint64_t trace_base; /* the window's beginning plus 8 */
	/*
	 * The stack pointer after the latest return, if no call followed;
	 * otherwise a smaller number. With --trace-depth that number is the
	 * distance of the latest call's slot from the window's beginning, or 0
	 * if it is unknown.
	 */
	uint64_t trace_left;
	void (*tail)(void);
	void (*tail_count)(void);
	struct hot_packet packet;
	/*
	 * The tally that the thread counts in. NULL while the thread is
	 * detached (switch.h), as a new thread is.
	 */
	struct tally *tally;
	struct hot_aside *aside; /* NULL before the first tally */
	/*
	 * How many calls to skip before memory for a tally is requested again.
	 */
	uint32_t attempts_left;
	uint32_t doubts_left; /* number of calls whose caller must be checked */
	uint64_t random;      /* state of the random generator */
	/* number of Java stacks until the next one is verified */
	uint64_t stacks_left;
	/* jvm/hotspot/java_recall.h; or NULL */
	struct java_recall *java_recall;
	/*
	 * The entry of a table to which a Java method is adding, in more than
	 * one instruction (jvm/exact/tracker_class.c), or 0. Until the method
	 * has stored the count, it is in this entry (record/tables.c).
	 */
	uint64_t java_counting;
	union {
		/* While a virtual thread is mounted: the id of its carrier. */
		uint64_t carrier_id;
		/*
		 * Stack slot of the innermost compiled Java method that is
		 * counted in place (jvm/inplace/in_place_calls.c), or 0.
		 */
		uint64_t compiled_frame;
	};
	/*
	 * NULL, or the selector of Syscall User Dispatch. While it contains 1,
	 * the thread must make no system call (dispatch.c).
	 */
	const volatile uint8_t *selector;
	/*
	 * Number of system call filters of a vfork child that uses this struct
	 * until it calls exec (filter.c).
	 */
	uint32_t child_filters;
	uint16_t wanted; /* enum hot_wanted */
	/*
	 * 1 while the thread is in a function of an agent library that replaces
	 * one of the program's (front/agent_entries.h).
	 */
	uint16_t is_in_agent;
	struct hot_sharing sharing;
	struct hot_slices slices;
	struct hot_jump jump;
	struct hot_loans loans;
	struct hot_handler handler;
};

#define HOT_OFFSET(member, offset)                                             \
	_Static_assert(offsetof(struct hot_thread, member) == (offset), "asm")

HOT_OFFSET(id, HOT_ID);
HOT_OFFSET(mask, HOT_MASK);
HOT_OFFSET(table, HOT_TABLE);
HOT_OFFSET(multiplier, HOT_MULTIPLIER);
HOT_OFFSET(step, HOT_STEP);
HOT_OFFSET(entry_base, HOT_ENTRY_BASE);
HOT_OFFSET(exit_base, HOT_EXIT_BASE);
HOT_OFFSET(shadow_half, HOT_SHADOW_HALF);
HOT_OFFSET(miss_call, HOT_MISS_CALL);
HOT_OFFSET(miss_tail, HOT_MISS_TAIL);
HOT_OFFSET(verify_call, HOT_VERIFY_CALL);
HOT_OFFSET(verify_tail, HOT_VERIFY_TAIL);
HOT_OFFSET(enter_elsewhere, HOT_ENTER_ELSEWHERE);
HOT_OFFSET(leave_elsewhere, HOT_LEAVE_ELSEWHERE);
HOT_OFFSET(guard, HOT_GUARD);
HOT_OFFSET(native, HOT_NATIVE);
HOT_OFFSET(probe, HOT_PROBE);
HOT_OFFSET(accounted, HOT_ACCOUNTED);
HOT_OFFSET(paused, HOT_PAUSED);
HOT_OFFSET(close, HOT_CLOSE);
HOT_OFFSET(open_tail, HOT_OPEN_TAIL);
HOT_OFFSET(windows, HOT_WINDOWS);
HOT_OFFSET(time_base, HOT_TIME_BASE);
HOT_OFFSET(strays_left, HOT_STRAYS_LEFT);
HOT_OFFSET(carried, HOT_CARRIED);
HOT_OFFSET(carried_reported, HOT_CARRIED_REPORTED);
HOT_OFFSET(java_top, HOT_JAVA_TOP);
HOT_OFFSET(trace_next, HOT_TRACE_NEXT);
HOT_OFFSET(trace_limit, HOT_TRACE_LIMIT);
HOT_OFFSET(trace_span, HOT_TRACE_SPAN);
HOT_OFFSET(trace_call, HOT_TRACE_CALL);
HOT_OFFSET(trace_tail, HOT_TRACE_TAIL);
HOT_OFFSET(trace_base, HOT_TRACE_BASE);
HOT_OFFSET(trace_left, HOT_TRACE_LEFT);
HOT_OFFSET(trace_return, HOT_TRACE_RETURN);
HOT_OFFSET(tail, HOT_TAIL);
HOT_OFFSET(tail_count, HOT_TAIL_COUNT);
HOT_OFFSET(aside, HOT_ASIDE);

#define ASIDE_OFFSET(member, offset)                                           \
	_Static_assert(offsetof(struct hot_aside, member) == (offset), "asm")

ASIDE_OFFSET(depth.span, ASIDE_DEPTH_SPAN);
ASIDE_OFFSET(depth.deep, ASIDE_DEPTH_DEEP);
ASIDE_OFFSET(depth.low, ASIDE_DEPTH_LOW);
ASIDE_OFFSET(depth.max, ASIDE_DEPTH_MAX);
ASIDE_OFFSET(levels, ASIDE_LEVELS);
HOT_OFFSET(compiled_frame, HOT_COMPILED_FRAME);

extern _Thread_local struct hot_thread hot
	__attribute__((tls_model("initial-exec")));

/*
 * An empty table, with which a thread begins. The table has the size of a
 * thread's first table (preload/record/blank.h), plus one empty entry.
 */
extern struct wire_count hot_empty_table[(1 << WIRE_TALLY_TABLE_LOG2) + 1];

#endif
