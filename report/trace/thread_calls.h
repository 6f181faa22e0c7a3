/* SPDX-License-Identifier: MIT */
/*
 * The calls of a thread from its packets (wire/packet.h), as beginnings and
 * ends of calls in order:
 *
 *	thread_calls_init(&calls, &trace, first, stop);
 *	while (thread_calls_next(&calls, &event))
 *		...
 *	thread_calls_fini(&calls);
 *
 * Beginnings and ends are balanced, even if data is missing or damaged. Calls
 * that were active before the first packet, or before a packet that follows a
 * gap, begin with that packet (begin_tsc is 0). Calls that are active at the
 * end of the data end there (CALL_OPEN).
 *
 * Packets contain no returns, or all of them (clew record --stamps=all).
 * Without returns, the end of a call is known from the next call that the
 * thread makes outside of it. The end's time is then an upper bound. The time
 * of the last call within it (inner_tsc) is the lower bound.
 *
 * Nothing is interpolated over missing packets or invalid words: all calls end
 * (CALL_CUT) and a CALL_GAP follows. Where the stack differs from the calls
 * (WIRE_PACKET_MOVED: jumps, exceptions, other stacks, many returns), calls
 * whose ids are on the stack continue, and all others end as CALL_LEFT.
 *
 * Memory is bounded by the depth of calls, plus one packet.
 */
#ifndef CLEW_TRACE_THREAD_CALLS_H
#define CLEW_TRACE_THREAD_CALLS_H

#include "report/recording/trace_reader.h"
#include "report/trace/call_stamps.h"

enum call_event_kind { CALL_BEGIN, CALL_END, CALL_GAP };

/* How a call ended. */
enum call_ending {
	CALL_RETURNED,
	CALL_LEFT, /* no longer on the stack: jump or another stack */
	CALL_CUT,  /* the data after it is missing */
	CALL_OPEN, /* active at the end of the data */
};

enum call_gap {
	GAP_MISSING,  /* event.missing contexts and their packets are missing */
	GAP_DAMAGED,  /* invalid words */
	GAP_MISMATCH, /* the stack contradicts the calls */
	GAP_MOVED,    /* the stack has changed: calls may be missing */
	GAP_COUNT
};

struct traced_call {
	uint64_t id;
	uint64_t begin_tsc; /* 0: it began before the known data */
	uint64_t seen_tsc;  /* begin_tsc, or when the call was first seen */
	uint64_t inner_tsc; /* it was still active then */
	/* index in the trace; `ordinal`: position in the packet */
	size_t packet;
	uint32_t ordinal;
	uint32_t function; /* number in the process */
	uint8_t is_tail;
	uint8_t clock;    /* enum call_clock of seen_tsc */
	uint8_t is_moved; /* a GAP_MOVED occurred while it was active */
};

struct call_event {
	enum call_event_kind kind;
	enum call_ending ending; /* valid for CALL_END */
	enum call_gap gap;       /* valid for CALL_GAP */
	uint64_t missing;        /* valid for GAP_MISSING */
	uint64_t tsc;
	enum call_clock clock;
	uint32_t tid;
	uint32_t depth; /* of the call, 1: outermost; for gaps of the context */
	struct traced_call call;
};

struct thread_calls {
	const struct trace *trace;
	size_t next, stop; /* packets to read; all of one tally */
	uint64_t from_tsc, to_tsc;

	size_t packet;
	uint32_t *words; /* copy of that packet; `cursor` points into it */
	struct packet_cursor cursor;
	struct call_stamps stamps;
	uint32_t ordinal; /* of the next call in the packet */
	uint64_t bad_words;
	uint64_t sequence; /* of the next context; 0: any */

	struct traced_call *stack;
	size_t depth, capacity;
	uint64_t base_id; /* id of the callers around the stack */
	size_t offset; /* difference between the cursor's depths and `depth` */
	uint64_t *ids; /* scratch: ids of the contexts within a context */
	uint32_t tid;

	/* Events to be returned, in this order. */
	uint64_t now;
	enum call_clock clock;
	/* Calls up to this depth continue; others end at end_tsc. */
	size_t keep;
	uint64_t end_tsc;
	enum call_clock end_clock;
	enum call_ending ending;
	uint32_t next_tid;
	struct call_event gap;
	uint32_t opened, opening; /* functions of the context */
	uint8_t has_gap, has_call, is_last;

	/* State of the window. */
	struct call_event held;
	size_t announced; /* number of announced calls around it */
	uint8_t has_held, is_inside, is_over;
};

/* The packets in [first, stop) must belong to one tally. */
void thread_calls_init(struct thread_calls *calls, const struct trace *trace,
		       size_t first, size_t stop);
void thread_calls_fini(struct thread_calls *calls);

/*
 * Call after init to get only calls that run in [from_tsc, to_tsc]. The other
 * packets are not read.
 */
void thread_calls_window(struct thread_calls *calls, uint64_t from_tsc,
			 uint64_t to_tsc);

/* Call after init to start at that packet. */
void thread_calls_seek(struct thread_calls *calls, size_t packet);

/* Returns 0 at the end. */
int thread_calls_next(struct thread_calls *calls, struct call_event *event);

/* Returns the index of the first packet of the next tally. */
size_t trace_tally_stop(const struct trace *trace, size_t first);

#endif
