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
 * Memory is bounded by the depth of calls, plus one packet. The trace's file is
 * open from the first event to the last.
 */
#ifndef CLEW_TRACE_THREAD_CALLS_H
#define CLEW_TRACE_THREAD_CALLS_H

#include "report/recording/trace_reader.h"
#include "report/trace/call_stamps.h"

enum call_event_kind { CALL_BEGIN, CALL_END, CALL_GAP };

/* How a call ended. */
enum call_ending {
	CALL_RETURNED,
	/*
	 * the call is no longer on the stack, after a jump or a switch to
	 * another stack
	 */
	CALL_LEFT,
	CALL_CUT,  /* the data after the call is missing */
	CALL_OPEN, /* the call was active at the end of the data */
};

enum call_gap {
	/* as many contexts as event.missing, with their packets, are missing */
	GAP_MISSING,
	GAP_DAMAGED,  /* words are invalid */
	GAP_MISMATCH, /* the stack contradicts the calls */
	GAP_MOVED,    /* the stack has changed, so that calls may be missing */
	GAP_COUNT
};

struct traced_call {
	uint64_t id;
	uint64_t begin_tsc; /* 0 if the call began before the known data */
	/* begin_tsc, or the time at which the call was first seen */
	uint64_t seen_tsc;
	uint64_t inner_tsc; /* a time at which the call was still active */
	/*
	 * index of the packet in the trace; `ordinal` is the position in the
	 * packet
	 */
	size_t packet;
	uint32_t ordinal;
	uint32_t function; /* the function's number in the process */
	uint8_t is_tail;
	uint8_t clock; /* enum call_clock of seen_tsc */
	/* whether a GAP_MOVED occurred while the call was active */
	uint8_t is_moved;
};

struct call_event {
	enum call_event_kind kind;
	enum call_ending ending; /* valid for CALL_END */
	enum call_gap gap;       /* valid for CALL_GAP */
	uint64_t missing;        /* valid for GAP_MISSING */
	uint64_t tsc;
	enum call_clock clock;
	uint32_t tid;
	/*
	 * depth of the call, 1 for the outermost; for gaps the depth of the
	 * context
	 */
	uint32_t depth;
	struct traced_call call;
};

struct thread_calls {
	const struct trace *trace;
	size_t next, stop; /* range of packets to read, all of one tally */
	uint64_t from_tsc, to_tsc;

	size_t packet;
	uint32_t *words; /* copy of that packet; `cursor` points into it */
	int fd;          /* the trace's file, open if `words` is not NULL */
	struct packet_blocks *blocks;
	struct packet_cursor cursor;
	struct call_stamps stamps;
	uint32_t ordinal; /* position of the next call in the packet */
	uint64_t bad_words;
	uint64_t sequence; /* sequence number of the next context; 0 for any */

	struct traced_call *stack;
	size_t depth, capacity;
	uint64_t base_id; /* id of the callers around the stack */
	size_t offset; /* difference between the cursor's depths and `depth` */
	/* working memory: ids of the contexts within a context */
	uint64_t *ids;
	uint32_t tid;

	/* State of the events that are still to be returned. */
	uint64_t now;
	enum call_clock clock;
	/* Calls up to this depth continue; others end at end_tsc. */
	size_t keep;
	uint64_t end_tsc;
	enum call_clock end_clock;
	enum call_ending ending;
	uint32_t next_tid;
	struct call_event gap;
	/*
	 * numbers of functions of the context that are entered, and that are to
	 * be entered
	 */
	uint32_t opened, opening;
	uint8_t has_gap, has_call, is_last;
	/* whether the trace's file could not be opened again */
	uint8_t is_unreadable;

	/* The following members are used at the bounds of the window. */
	struct call_event held;
	size_t announced; /* number of announced calls around it */
	uint8_t has_held, is_inside, is_over;
};

/* Begins to read the packets [first, stop), which must belong to one tally. */
void thread_calls_init(struct thread_calls *calls, const struct trace *trace,
		       size_t first, size_t stop);
void thread_calls_fini(struct thread_calls *calls);

/*
 * Call after init to get only calls that run in [from_tsc, to_tsc]. Packets
 * without such calls are skipped where their times show it.
 */
void thread_calls_window(struct thread_calls *calls, uint64_t from_tsc,
			 uint64_t to_tsc);

/* Starts at that packet. Called after thread_calls_init(). */
void thread_calls_seek(struct thread_calls *calls, size_t packet);

/* Returns 1 and the next event, or 0 at the end. */
int thread_calls_next(struct thread_calls *calls, struct call_event *event);

/*
 * Returns the index of the first packet of the next tally, or the number of
 * packets if there is no further tally.
 */
size_t trace_tally_stop(const struct trace *trace, size_t first);

#endif
