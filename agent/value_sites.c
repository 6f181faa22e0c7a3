/* SPDX-License-Identifier: MIT */
/*
 * See value_sites.h. An agent queries the number of its context, and finds the
 * row for that number in a table. Only a new context needs a new row. Stacks
 * are never retrieved: the recording has the functions of each id.
 */
#include "agent/value_sites.h"

#include <stdatomic.h>

#include "agent/absent.h"

#define SITES_MAX 65536

/* Constructors that run before clew's make fewer calls than this. */
#define LATE_CALLS_MAX 1000000

/* The agent's data for a context. One for each id, never freed. */
struct value_site {
	_Atomic uint64_t row;
};

static struct value_site known[SITES_MAX];
/*
 * The common site of all contexts for which `known` has no room, and of values
 * outside all contexts.
 */
static struct value_site others;
static _Atomic uint32_t known_used;

/*
 * Returns the site's row. A forked child begins without rows: several of its
 * threads may create one for the same context, and these rows count together.
 */
static uint64_t row_of(const struct value_sites *sites, struct value_site *site,
		       uint64_t id)
{
	uint64_t row = atomic_load_explicit(&site->row, memory_order_relaxed);

	if (clew_row_is_there(sites->values, row))
		return row;
	row = clew_row_new(sites->values, id);
	atomic_store_explicit(&site->row, row, memory_order_relaxed);
	return row;
}

uint64_t value_sites_nowhere(struct value_sites *sites)
{
	return row_of(sites, &others, 0);
}

/* Adds a context. Returns NULL if there is no room. */
static struct value_site *add_site(struct value_sites *sites, uint64_t id)
{
	struct value_site *site;
	uint32_t number = atomic_load(&known_used);

	if (number >= SITES_MAX ||
	    (number = atomic_fetch_add(&known_used, 1)) >= SITES_MAX)
		return NULL;
	site = &known[number];
	row_of(sites, site, id);
	return clew_node_add(sites->nodes, id, site);
}

uint64_t value_sites_here(struct value_sites *sites)
{
	const uint64_t id = clew_id();
	struct value_site *site;

	if (id == 0)
		return value_sites_nowhere(sites);
	site = clew_node(sites->nodes, id);
	if (!site)
		site = add_site(sites, id);
	return site ? row_of(sites, site, id) : value_sites_nowhere(sites);
}

int value_sites_begin(struct value_sites *sites,
		      const struct clew_value *columns, size_t count,
		      int is_last)
{
	if (!sites->nodes)
		sites->nodes = clew_nodes_new();
	if (sites->nodes && !sites->values)
		sites->values = clew_values_new(columns, count);
	if (sites->values)
		value_sites_nowhere(sites); /* reports show values of 0 */
	if (!sites->values && is_last) {
		clew_nodes_free(sites->nodes);
		sites->nodes = NULL;
	}
	return sites->values != NULL;
}

/*
 * Returns whether clew is preloaded. The variable is volatile because compilers
 * expect two functions to have two addresses.
 */
static int has_clew(void)
{
	__typeof__(&clew_values_new) volatile called = clew_values_new;

	return called != absent_values_new;
}

int value_start_try(struct value_start *start, int (*begin)(int is_last),
		    int is_last)
{
	int is_there;

	if (atomic_exchange(&start->is_busy, 1))
		return 0;
	is_there = begin(is_last);
	if (is_there)
		start->state = VALUES_ARE_ON;
	else if (is_last && has_clew())
		start->late_calls = LATE_CALLS_MAX;
	else if (is_last || (start->late_calls && --start->late_calls == 0))
		start->state = VALUES_ARE_OFF;
	start->is_busy = 0;
	return is_there;
}
