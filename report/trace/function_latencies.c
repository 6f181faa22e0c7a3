/* SPDX-License-Identifier: MIT */
/* See function_latencies.h. */
#include "report/trace/function_latencies.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void call_latencies_add(struct call_latencies *latencies,
			const struct function_call *call)
{
	if (!call->duration.has_most) {
		latencies->unknown++;
		return;
	}
	latencies_add(&latencies->least, call->duration.least_ns);
	latencies_add(&latencies->most, call->duration.most_ns);
}

static void add(void *context, const struct function_call *call)
{
	struct function_latencies *all = context;
	struct call_latencies **item = &all->items[call->function];

	if (!*item) {
		*item = memory_zeroed(1, sizeof(**item));
		all->count++;
	}
	call_latencies_add(*item, call);
}

static int by_sum(const void *left, const void *right)
{
	const struct call_latencies *const *a = left, *const *b = right;

	if ((*a)->most.sum_ns != (*b)->most.sum_ns)
		return (*a)->most.sum_ns > (*b)->most.sum_ns ? -1 : 1;
	return strcmp((*a)->name, (*b)->name);
}

void function_latencies_find(struct function_latencies *all,
			     const struct traces *traces,
			     const struct trace_window *window,
			     const uint8_t *chosen)
{
	size_t count = 0;

	*all = (struct function_latencies){
		.room = traces->catalog->function_count
	};
	all->items = memory_zeroed(all->room, sizeof(void *));
	function_calls_each(traces, window, chosen, add, all);
	all->sorted = memory_zeroed(all->count, sizeof(void *));
	for (size_t i = 0; i < all->room; i++) {
		if (!all->items[i])
			continue;
		all->items[i]->name =
			catalog_name(traces->catalog, (uint32_t)i);
		all->items[i]->function = (uint32_t)i;
		all->sorted[count++] = all->items[i];
	}
	qsort(all->sorted, count, sizeof(void *), by_sum);
}

void function_latencies_fini(struct function_latencies *all)
{
	for (size_t i = 0; i < all->count; i++)
		free(all->sorted[i]);
	free(all->sorted);
	free(all->items);
}
