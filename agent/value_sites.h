/* SPDX-License-Identifier: MIT */
/*
 * What an agent that counts by context does with clew.h: a table of values, and the row
 * of each context that it has met. To be compiled into the agent. Any thread, and
 * signals, but value_sites_begin(); nothing here allocates by malloc.
 */
#ifndef CLEW_AGENT_VALUE_SITES_H
#define CLEW_AGENT_VALUE_SITES_H

#include "agent/clew.h"

struct value_sites {
	struct clew_values *values;
	struct clew_nodes *nodes; /* by id: the context's row */
};

/*
 * Whether clew is here, so that these columns are counted. May be asked again, as it may
 * not have begun yet, until `is_last`.
 */
int value_sites_begin(struct value_sites *sites,
		      const struct clew_value *columns, size_t count,
		      int is_last);

/* The row of the context that the thread is in; 0: nothing is counted. */
uint64_t value_sites_here(struct value_sites *sites);

/* The row of what is in no context. */
uint64_t value_sites_nowhere(struct value_sites *sites);

/* Whether an agent counts: what it stands in front of is called before clew has begun. */
enum value_state { VALUES_NOT_YET, VALUES_ARE_ON, VALUES_ARE_OFF };

struct value_start {
	_Atomic int state; /* enum value_state */
	_Atomic int is_busy;
};

/*
 * Ask `begin`, which says whether clew is here as value_sites_begin() does, for a state
 * that is VALUES_NOT_YET. False also for who asks meanwhile. Any thread.
 */
int value_start_try(struct value_start *start, int (*begin)(int is_last),
		    int is_last);

#endif
