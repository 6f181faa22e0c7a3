/* SPDX-License-Identifier: MIT */
/*
 * Omits calls from the trace that are deeper than a given number of calls (clew
 * record --trace-depth).
 *
 * The *level* of a call is 1 + the number of hooked functions from which it is
 * made. A call is too deep if its level is greater than the option's value. The
 * stack slot of the latest call, or of the latest return, leads to the level of
 * the next call:
 *
 *	The latest event was	so the next call has
 *	the call of a function	the level below that function
 *	the return of one	the same level as that function
 *
 * A table contains both levels for each slot in the trace's window. Thunks
 * (thunks_traced.inc) use the table and write the words of most calls. This
 * file handles the calls whose level is not in the table: it walks the stack.
 *
 * All calls of a function at the greatest level are too deep. Thunks recognize
 * them by three comparisons and do nothing: the call's slot is further in than
 * that of the function (depth.deep), it is on the same stack (not below
 * depth.low), and no return further out has followed (trace_left).
 *
 * A level in the table is 0 if it is unknown. When stubs have been stopped
 * (trace_stop()), all levels are unknown.
 */
#ifndef CLEW_TRACING_TRACE_DEPTH_H
#define CLEW_TRACING_TRACE_DEPTH_H

#include <stdint.h>

#include "preload/tracing/surroundings.h"
#include "preload/tracing/trace_window.h"

/* A thunk's knowledge of a call that it could not write. */
enum depth_told {
	DEPTH_UNKNOWN, /* nothing */
	DEPTH_STORED,  /* the call's levels are in the table */
	/* Levels may be wrong, because a signal handler has interrupted. */
	DEPTH_LOST,
};

struct call_level {
	uint32_t level;
	/* The distance of the caller's slot from the window's beginning. */
	uint32_t outer;
	/* Whether both are certain. */
	uint32_t is_certain;
};

/*
 * Returns the level of the call at a slot. tail_word is the word of a tail
 * call, or 0.
 */
struct call_level trace_depth_find(const uint64_t *slot, uint32_t tail_word,
				   enum depth_told told);
int trace_depth_is_too_deep(const struct call_level *call);

/*
 * The call was written, or is omitted. If a context is needed while all calls
 * are too deep, it is written at the next call that is not.
 */
void trace_depth_enter(const uint64_t *slot, uint32_t tail_word,
		       const struct call_level *call);
void trace_depth_omit(const uint64_t *slot);

/* The call at the slot is lost, or not recorded for another reason. */
void trace_depth_skip(const uint64_t *slot);

/* Returns whether a function all of whose calls are omitted makes the call. */
int trace_depth_is_inside(const uint64_t *slot);

/*
 * Stores the levels of a context's functions, before the context's window is
 * opened.
 */
void trace_depth_begin(const struct surroundings_of *of,
		       const struct surroundings *found,
		       const struct stack_window *window);

/* Returns whether the running call with this slot was omitted. */
int trace_depth_has_omitted(const uint64_t *slot);

#endif
