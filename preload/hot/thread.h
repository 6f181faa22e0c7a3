/* SPDX-License-Identifier: MIT */
/*
 * What a thread needs to count a call, in thread-local storage.
 *
 * The first cache line is all that a call with a known context touches here.
 * A thread is born with the initial values below: an empty table that no id is
 * found in, so that its first call takes the slow path, which attaches it.
 * The thread itself and signal handlers on top of it write this, and threads or
 * children that share its thread pointer (sharing.h); the thread that samples by
 * the wall clock reads the id (look.c).
 */
#ifndef CLEW_HOT_THREAD_H
#define CLEW_HOT_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "preload/hot/layout.h"
#include "wire/recording.h"

struct tally;
struct java_recall;

/* Why a thread's calls are not to be recorded (switch.h). */
enum hot_muted {
	HOT_IS_HEARD,
	HOT_MUTED_FORK,    /* inside fork(): they are lost */
	HOT_MUTED_OWN,     /* made by clew: nobody wants them */
	HOT_MUTED_SHARED,  /* by two at once (sharing.h): they are lost */
	HOT_MUTED_HANDLER, /* in a probe's handler (probe_calls.h): likewise */
};

/* What the user's switches of the trace have said to a thread (switch.h). */
enum hot_wanted {
	HOT_WANTED_AS_BEGUN, /* nothing yet: rt.begins_unwanted */
	HOT_IS_WANTED,
	HOT_IS_UNWANTED,
};

#define HOT_SHARERS_MAX 16

/*
 * Who shares the thread pointer while the thread is HOT_MUTED_SHARED
 * (stack/sharing.c): those that are aside, and others. `owner` and `from` are the
 * owner's, stored before it is muted; the others are changed by any sharer, one
 * word at a time.
 */
struct hot_sharing {
	int32_t owner;
	int32_t unknown; /* how many there was no place for */
	uint64_t from;   /* stack slot where it began */
};

/*
 * The slice of a stack that was copied back last, and one that may be
 * (stack/landing_restored.c). A handler that jumps between two stores sees a
 * bound of the one and a bound of the other, and looks where no slice may be.
 */
struct hot_slices {
	uint64_t restored_from, restored_until;
	uint64_t perhaps_from, perhaps_until;
};

/*
 * The jump that libc is making: where to, and jump_places_find(). The fronts of
 * longjmp() store the stack and then the id, and the leap takes both
 * (stack/landing.c). A handler's jump in between leaves stack 0 behind, and the
 * leap is taken for one that nobody announced.
 */
struct hot_jump {
	uint64_t stack; /* 0: none */
	uint64_t id;
};

/* Beyond these, an exception passes the frames of stubs. */
#define HOT_LOANS_MAX 16

struct loan {
	uint64_t at;   /* stack slot */
	uint64_t word; /* the stub's, that belongs there */
};

/*
 * Return addresses lent to an exception (stack/loans.c), which are aside. A loan is
 * in the list there and in the filter before its slot changes, so a handler that
 * walks the stack finds what belongs there.
 */
struct hot_loans {
	uint64_t borrower; /* 0: none is on its way */
	uint64_t filter;   /* bit at / 8 % 64 of each */
};

/*
 * What of a thread's is too large for its block, which is to fit where threads have
 * little room (machine/control_block.h): beside the tally that it first had, where a forked
 * child finds it, too.
 */
struct hot_aside {
	struct hot_lent {
		uint64_t until; /* the outermost slot */
		uint32_t count;
		struct loan of[HOT_LOANS_MAX];
	} lent;
	int32_t sharers[HOT_SHARERS_MAX]; /* 0: none */
	/* Of the trace, where they are so much time apart: the last one, and so many calls. */
	struct hot_stamps {
		uint64_t tsc;
		uint64_t every;
	} stamps;
	/*
	 * When the thread came to the stack it is on, and what was accounted then
	 * (time/exact.c). 0: it has not changed stacks. A handler that changes stacks
	 * comes back before it returns, and leaves the moment when it did.
	 */
	struct hot_stay {
		uint64_t since, accounted;
	} stay;
	/* Of the trace. */
	uint64_t leaving; /* the slot of whose return C sees to, or did last */
	uint64_t
		told_until; /* slots have places from the window's base to there */
	/* Of the trace, where calls are written to some depth only. */
	struct hot_depth {
		uint64_t slot; /* of the last call that was made */
		uint32_t
			count; /* of slots that are known (time/trace_depth.c) */
		uint8_t is_known;
		uint8_t owes_context; /* packet.moved, while all was too deep */
	} depth;
	/*
	 * The function in whose slot a virtual thread has come or gone
	 * (jvm/java_border.h): no link leads on from there until it returns.
	 */
	struct hot_border {
		uint64_t slot; /* of the stack */
		uint64_t id;
	} border;
};

/*
 * The handler of a probe that the thread is in (preload/probe_calls.c). A signal
 * handler on top of it may jump out of both (stack/landing.c).
 */
struct hot_handler {
	uint64_t frame; /* the stack pointer at the probe; 0: in none */
	uint32_t probe; /* its number */
	uint32_t muted; /* what the thread was before (enum hot_muted) */
};

/*
 * The packet that the thread's calls leave words in (wire/packet.h), where the
 * process writes any. Written by the thread and by handlers on top of it
 * (time/traced.c).
 */
struct hot_packet {
	uint64_t end;           /* of its bytes; 0: there is no packet */
	uint64_t limit;         /* trace_limit, while the thread is on */
	uint64_t settled_from;  /* sink->moved() was told, or 0 */
	uint8_t is_turning;     /* the next packet is being made */
	uint8_t moved;          /* the stack may not be what the calls say */
	uint32_t attempts_left; /* to pass over until one is asked for again */
};

/*
 * What comes before `tally` has offsets that stubs and thunks know (layout.h), and
 * compiled_frame has. What else follows is for C; each struct says above whose it is.
 */
struct hot_thread {
	uint64_t id;   /* of the context that is running */
	uint64_t mask; /* of byte offsets in the table: 16 * (entries - 1) */
	struct wire_count *table;
	/* Constants: 64-bit immediates make a stub slower (stub.S). */
	uint64_t multiplier;  /* ID_MULTIPLIER */
	uint64_t step;        /* WIRE_CALL_STEP */
	uint64_t entry_base;  /* -SHADOW_STACK_LOW, or 0: all is elsewhere */
	uint64_t exit_base;   /* hot_shadow_half - SHADOW_STACK_LOW - 8 */
	uint64_t shadow_half; /* hot_shadow_half */
	/* Thunks (thunks.inc), in reach of every stub. */
	void (*miss_call)(void);
	void (*miss_tail)(void);
	void (*verify_call)(void);
	void (*verify_tail)(void);
	void (*enter_elsewhere)(void);
	void (*leave_elsewhere)(void);
	void (*guard)(void);
	const struct native_range *native; /* where a call came from lately */
	void (*probe)(void);
	/*
	 * Since the thread began, in time stamp ticks: what is in some
	 * context's own time already, and what our slow paths took (timing.h).
	 */
	uint64_t accounted;
	uint64_t paused;
	void (*close)(void);
	void (*open_tail)(void);
	const uint8_t *windows; /* hot_windows; read at tail calls */
	uint64_t time_base;     /* hot_time_third - SHADOW_STACK_LOW - 8 */
	/* Hits away from their home entry until busy contexts are moved home. */
	int32_t strays_left;
	uint32_t muted; /* enum hot_muted */
	/* Where trampolines go on. */
	void (*carried)(void);
	void (*carried_told)(void);
	/* The frame of the bridge that the thread is in, or 0 (jvm/bridge.h). */
	uint64_t java_top;
	/* Where calls leave words (time/traced.c). */
	uint64_t trace_next;
	uint64_t trace_limit;
	uint64_t trace_span; /* bytes of the window of stack that words know */
	void (*trace_call)(void);
	void (*trace_tail)(void);
	void (*trace_return)(void);
	uint64_t trace_base; /* where the window begins, and 8 */
	/* If the latest was a return: the stack pointer then; or else less than that. */
	uint64_t trace_left;
	void (*tail)(void);
	void (*tail_count)(void);
	struct hot_packet packet;
	/* The tally that the thread counts in, NULL until attached (switch.c). */
	struct tally *tally;
	struct hot_aside *aside; /* NULL until it has had a tally */
	uint32_t attempts_left; /* to pass over until room is asked for again */
	uint32_t doubts_left;   /* calls whose caller is to be looked at */
	uint64_t random;        /* state of a generator, for verifications */
	uint64_t stacks_left;   /* of Java's, until one is verified */
	struct java_recall *java_recall; /* jvm/java_recall.h; or NULL */
	/*
	 * A Java method adds to this entry of the table, in more than one
	 * instruction (jvm/tracker_class.c), so that the table must stay; or 0.
	 */
	uint64_t java_counting;
	union {
		/* While a virtual thread is mounted: the id before. */
		uint64_t carrier_id;
		/* The slot of the innermost call (jvm/in_place_calls.c), or 0. */
		uint64_t compiled_frame;
	};
	/* No system calls while it says 1; NULL: always (dispatch.c). */
	const volatile uint8_t *selector;
	/* Filters of a child that borrows this thread until it execs (filter.c). */
	uint32_t child_filters;
	uint32_t wanted; /* enum hot_wanted */
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
HOT_OFFSET(carried_told, HOT_CARRIED_TOLD);
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
HOT_OFFSET(compiled_frame, HOT_COMPILED_FRAME);

extern _Thread_local struct hot_thread hot
	__attribute__((tls_model("initial-exec")));

/*
 * A table that holds nothing: what a thread starts with. It has as many entries
 * as the first table that a thread gets (preload/record/blank.h), and one behind them.
 */
extern struct wire_count hot_empty_table[(1 << WIRE_TALLY_TABLE_LOG2) + 1];

#endif
