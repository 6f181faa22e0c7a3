/* SPDX-License-Identifier: MIT */
/*
 * The calls of a thread, one by one: what its packets say (wire/packet.h), as
 * beginnings and ends of calls in the order in which they came.
 *
 *	thread_calls_init(&calls, &trace, first, stop);
 *	while (thread_calls_next(&calls, &event))
 *		...
 *	thread_calls_fini(&calls);
 *
 * Beginnings and ends are balanced, whatever is missing or damaged. What the thread
 * had called before the first packet, or before one that follows a gap, begins with
 * that, and says so (begin_tsc 0). What is running where the calls stop ends there,
 * and says so (CALL_OPEN).
 *
 * Packets have no returns, or all (clew record --stamps=all). Without them, that a call
 * has returned is known by the next call that its thread makes outside of it: so an end
 * is the time *by* which it had. It had not when the last call within it was made (inner_tsc). How long it took is between the two.
 *
 * Where packets are missing, or words make no sense, nothing is bridged: all calls
 * end (CALL_CUT) and a CALL_GAP follows. Where the thread's stack is another one than
 * its calls say (WIRE_PACKET_MOVED: jumps, exceptions, other stacks, many returns),
 * what is on both goes on, by its ids; everything else ends as CALL_LEFT.
 *
 * Memory is bounded by the depth of calls, and one packet.
 */
#ifndef CLEW_TRACE_THREAD_CALLS_H
#define CLEW_TRACE_THREAD_CALLS_H

#include "report/recording/trace_reader.h"
#include "report/trace/call_stamps.h"

enum call_event_kind { CALL_BEGIN, CALL_END, CALL_GAP };

/* Why a call is over. */
enum call_ending {
	CALL_RETURNED,
	CALL_LEFT, /* not on the stack any more: by a jump, or it is another's */
	CALL_CUT,  /* what came then is missing */
	CALL_OPEN, /* it was running where the calls stop */
};

enum call_gap {
	GAP_MISSING,  /* event.missing contexts, and packets with them */
	GAP_DAMAGED,  /* words make no sense */
	GAP_MISMATCH, /* the stack is not what it should be by the calls */
	GAP_MOVED,    /* the stack is another one: calls may be missing */
	GAP_COUNT
};

struct traced_call {
	uint64_t id;
	uint64_t begin_tsc; /* 0: it began before what is known */
	uint64_t seen_tsc;  /* the same, or when it was first known of */
	uint64_t inner_tsc; /* it had not returned before */
	size_t packet;      /* index in the trace, and its number there */
	uint32_t ordinal;
	uint32_t function; /* the process's number */
	uint8_t is_tail;
	uint8_t clock;    /* enum call_clock, of seen_tsc */
	uint8_t is_moved; /* the stack has moved (GAP_MOVED) while it ran */
};

struct call_event {
	enum call_event_kind kind;
	enum call_ending ending; /* CALL_END */
	enum call_gap gap;       /* CALL_GAP */
	uint64_t missing;        /* GAP_MISSING */
	uint64_t tsc;
	enum call_clock clock;
	uint32_t tid;
	uint32_t depth; /* of the call, 1: outermost; of a gap's context */
	struct traced_call call;
};

struct thread_calls {
	const struct trace *trace;
	size_t next, stop; /* of its packets; all of one tally */
	uint64_t from_tsc, to_tsc;

	size_t packet;
	uint32_t *words; /* a copy of that, with `cursor` in it */
	struct packet_cursor cursor;
	struct call_stamps stamps;
	uint32_t ordinal; /* of the next call in it */
	uint64_t bad_words;
	uint64_t sequence; /* expected next; 0: any */

	struct traced_call *stack;
	size_t depth, capacity;
	uint64_t base_id; /* of what is around the stack */
	size_t offset;    /* of the cursor's depths from ours */
	uint64_t *ids;    /* scratch: of the contexts in a context */
	uint32_t tid;

	/* What is to be told, in this order. */
	uint64_t now;
	enum call_clock clock;
	size_t keep; /* calls that go on; others end by then: */
	uint64_t end_tsc;
	enum call_clock end_clock;
	enum call_ending ending;
	uint32_t next_tid;
	struct call_event gap;
	uint32_t opened, opening; /* functions of the context */
	uint8_t has_gap, has_call, is_last;

	/* The window. */
	struct call_event held;
	size_t announced; /* of the calls around it */
	uint8_t has_held, is_inside, is_over;
};

/* The packets from `first` on, up to `stop`, are those of one tally. */
void thread_calls_init(struct thread_calls *calls, const struct trace *trace,
		       size_t first, size_t stop);
void thread_calls_fini(struct thread_calls *calls);

/* Behind init: only what runs in [from_tsc, to_tsc]; other packets are not read. */
void thread_calls_window(struct thread_calls *calls, uint64_t from_tsc,
			 uint64_t to_tsc);

/* Behind init: from that packet on, whatever was before. */
void thread_calls_seek(struct thread_calls *calls, size_t packet);

/* Returns 0 when there is none. */
int thread_calls_next(struct thread_calls *calls, struct call_event *event);

/* Where the packets of the next tally begin. */
size_t trace_tally_stop(const struct trace *trace, size_t first);

#endif
