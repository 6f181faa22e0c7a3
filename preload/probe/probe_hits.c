/* SPDX-License-Identifier: MIT */
/*
 * Counts hits by context, like an agent (agent/clew.h): the thread's id leads
 * to the row of its context, and a new context gets a new row. A row has a
 * column for each probe.
 *
 * This code runs between any two instructions of the program: with general
 * registers only, without libc, and without locks except the part's
 * (part_alloc()).
 */
#include "preload/probe/probe_hits.h"

#include <errno.h>
#include <stdatomic.h>

#include "agent/clew.h"
#include "preload/answers/agent_values.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/lookup/leaf_ids.h"
#include "preload/sys/sys.h"
#include "wire/context_values.h"
#include "wire/id.h"
#include "wire/user_probe.h"

#define CONTEXTS_MAX 65536

/*
 * The row of a context. There is one for each id, and none is freed. In a
 * forked child a thread may find the parent's row here. It then replaces the
 * row: `numbers` first, then `header`.
 */
struct probe_context {
	/* Header of the process that owns the row. */
	const struct wire_header *_Atomic header;
	_Atomic int64_t *_Atomic numbers; /* a column for each probe */
};

static struct {
	struct clew_values *values;
	struct clew_nodes *nodes;
	struct probe_context *contexts; /* array of CONTEXTS_MAX */
	/* number of used elements, including failed attempts */
	_Atomic uint32_t used;
	/* For hits outside of all contexts, or when the array is full. */
	struct probe_context none;
} hits;

_Static_assert(WIRE_PROBES_MAX <= WIRE_VALUES_MAX, "a column for each");

/* Writes "p1", "p2" and so on. */
static void name_column(char name[4], uint32_t number)
{
	char *at = name;

	number++;
	*at++ = 'p';
	if (number >= 10)
		*at++ = (char)('0' + number / 10);
	*at++ = (char)('0' + number % 10);
	*at = '\0';
}

int probe_hits_begin(void)
{
	struct clew_value columns[WIRE_PROBES_MAX];
	char names[WIRE_PROBES_MAX][4];

	if (hits.values)
		return 0;
	for (uint32_t i = 0; i < WIRE_PROBES_MAX; i++) {
		name_column(names[i], i);
		columns[i] = (struct clew_value){ names[i], CLEW_NUMBER };
	}
	hits.contexts = sys_map_private(CONTEXTS_MAX * sizeof(*hits.contexts));
	if (sys_failed(hits.contexts))
		return -ENOMEM;
	hits.nodes = clew_nodes_new();
	hits.values = clew_values_new(columns, WIRE_PROBES_MAX);
	return hits.nodes && hits.values ? 0 : -ENOMEM;
}

/*
 * Creates the row of a probe's context. A forked child starts without rows, so
 * it replaces the parent's. Returns NULL if there is no memory; the hit then
 * does not count.
 */
static _Atomic int64_t *make_row(struct probe_context *context, uint64_t id)
{
	const struct wire_header *header = rt.header;
	_Atomic int64_t *numbers = agent_values_numbers(
		hits.values, clew_row_new(hits.values, id));

	if (!numbers)
		return NULL;
	atomic_store_explicit(&context->numbers, numbers, memory_order_relaxed);
	atomic_store_explicit(&context->header, header, memory_order_release);
	return numbers;
}

static _Atomic int64_t *row_of(struct probe_context *context, uint64_t id)
{
	if (atomic_load_explicit(&context->header, memory_order_acquire) ==
		    rt.header &&
	    *rt.is_this_process)
		return atomic_load_explicit(&context->numbers,
					    memory_order_relaxed);
	return make_row(context, id);
}

/* Adds a context. Returns NULL if the array is full. */
static struct probe_context *add_context(uint64_t id)
{
	struct probe_context *context;
	uint32_t number = atomic_load(&hits.used);

	if (number >= CONTEXTS_MAX ||
	    (number = atomic_fetch_add(&hits.used, 1)) >= CONTEXTS_MAX)
		return NULL;
	context = &hits.contexts[number];
	make_row(context, id);
	return clew_node_add(hits.nodes, id, context);
}

static _Atomic int64_t *row_in(uint64_t id)
{
	struct probe_context *context;

	if (id == ID_ROOT)
		return row_of(&hits.none, ID_ROOT);
	context = clew_node(hits.nodes, id);
	if (!context)
		context = add_context(id);
	return context ? row_of(context, id) : row_of(&hits.none, ID_ROOT);
}

static void count_in(uint64_t id, uint64_t probe)
{
	_Atomic int64_t *numbers;

	if (hot.muted == HOT_MUTED_OWN)
		return; /* clew's own calls do not count */
	numbers = row_in(hot.tally ? id : ID_ROOT);
	if (numbers)
		atomic_fetch_add_explicit(&numbers[probe], 1,
					  memory_order_relaxed);
}

void probe_count_here(uint64_t probe)
{
	count_in(hot.id, probe);
}

void probe_count(uint64_t first, uint64_t stack, uint64_t probe,
		 const uint8_t *at)
{
	count_in(leaf_id_at_probe(at), probe);
}
