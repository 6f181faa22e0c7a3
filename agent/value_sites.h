/* SPDX-License-Identifier: MIT */
/*
 * The common part of agents that count by context with clew.h: a table of
 * values, and the row of each context. It is compiled into the agent. Any
 * thread and signal handler may call these functions, except that signal
 * handlers must not call value_sites_begin(). No function calls malloc().
 */
#ifndef CLEW_AGENT_VALUE_SITES_H
#define CLEW_AGENT_VALUE_SITES_H

#include "agent/clew.h"

struct value_sites {
	struct clew_values *values;
	struct clew_nodes *nodes; /* maps a context's id to its row */
};

/*
 * Returns whether clew is present, so that these columns are counted. May be
 * called repeatedly, because clew may not have begun yet. is_last is set at the
 * last call.
 */
int value_sites_begin(struct value_sites *sites,
		      const struct clew_value *columns, size_t count,
		      int is_last);

/* Returns the row of the thread's context, or 0 if nothing is counted. */
uint64_t value_sites_here(struct value_sites *sites);

/* Returns the row for values outside all contexts. */
uint64_t value_sites_nowhere(struct value_sites *sites);

/*
 * Whether an agent counts. The functions that it replaces may be called before
 * clew has begun.
 */
enum value_state { VALUES_NOT_YET, VALUES_ARE_ON, VALUES_ARE_OFF };

struct value_start {
	_Atomic int state; /* enum value_state */
	_Atomic int is_busy;
	/* Calls left after the last one; written by the thread that is busy. */
	uint32_t late_calls;
};

/*
 * Calls `begin`, which returns whether clew is present as value_sites_begin()
 * does, and stores the resulting state. Returns 0 to threads that call this
 * function meanwhile. Callers check first that the state is VALUES_NOT_YET. Any
 * thread may call this function.
 *
 * After the last call, the state is still VALUES_NOT_YET if clew is preloaded
 * and has not begun. An agent's constructor may run before clew's, if a library
 * with -z initfirst is loaded after clew: libpthread, before glibc 2.34. Clew
 * may also refuse to record the process, so the number of later calls is
 * limited.
 */
int value_start_try(struct value_start *start, int (*begin)(int is_last),
		    int is_last);

#endif
