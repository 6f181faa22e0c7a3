/* SPDX-License-Identifier: MIT */
/* See window_tree.h. */
#include "report/trace/window_tree.h"

#include <stdlib.h>

#include "base/memory.h"
#include "report/merge/roots.h"

/* A call that is active in the window. */
struct window_call {
	uint32_t node;   /* node in the new tree */
	uint32_t former; /* node in the tree of the recording, or TREE_ROOT */
};

struct windowing {
	const struct window_source *source;
	struct tree *out;
	uint32_t *moved; /* for each node of source->tree, 1 + its copy */

	/* The current thread. */
	const struct traced_process *process;
	uint32_t tid;
	struct window_call root;
	struct window_call *open;
	size_t open_count, open_capacity;
	uint64_t latest_ns; /* time of the last event; 0 if there was none */
};

static void copy_details(struct tree_node *copy, const struct tree_node *node)
{
	if (copy->site == 0) {
		copy->site = node->site;
		copy->is_return_site = node->is_return_site;
	}
}

/* ---- Samples ---- */

/* Copies a node of the recording with its callers, on first use. */
static uint32_t copy_node(struct windowing *all, uint32_t node)
{
	const struct tree *tree = all->source->tree;
	uint32_t *chain, at = node, copy;
	size_t depth = 0;

	for (; !all->moved[at]; at = tree->nodes[at].parent)
		depth++;
	chain = memory_zeroed(depth + 1, sizeof(*chain));
	at = node;
	for (size_t i = depth; i-- > 0; at = tree->nodes[at].parent)
		chain[i] = at;
	copy = all->moved[at] - 1;
	for (size_t i = 0; i < depth; i++) {
		const struct tree_node *former = &tree->nodes[chain[i]];

		copy = tree_child(all->out, copy, former->function);
		copy_details(&all->out->nodes[copy], former);
		all->moved[chain[i]] = copy + 1;
	}
	free(chain);
	return copy;
}

static void add_samples(struct windowing *all, struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->count; i++) {
		struct timeline_sample *sample = &timeline->samples[i];

		sample->node = copy_node(all, sample->node);
		tree_add(all->out, sample->node,
			 &(struct measure){ .ns = sample->weight_ns,
					    .samples = sample->looks });
		if (sample->site)
			tree_add_spot(all->out, sample->node, sample->site,
				      sample->weight_ns, sample->looks);
	}
}

/* ---- Calls ---- */

static uint64_t clip(const struct windowing *all, uint64_t time_ns)
{
	const struct trace_window *window = &all->source->window;

	if (time_ns < window->from_ns)
		return window->from_ns;
	if (window->to_ns && time_ns > window->to_ns)
		return window->to_ns;
	return time_ns;
}

static struct window_call innermost(const struct windowing *all)
{
	return all->open_count ? all->open[all->open_count - 1] : all->root;
}

/* Adds the time since the last event to the innermost call. */
static void pass_time(struct windowing *all, uint64_t time_ns)
{
	const uint64_t now = clip(all, time_ns);

	if (all->source->takes_trace_times && all->open_count > 0 &&
	    all->latest_ns > 0 && now > all->latest_ns)
		tree_add(all->out, innermost(all).node,
			 &(struct measure){ .ns = now - all->latest_ns });
	all->latest_ns = now;
}

static void begin_call(struct windowing *all, const struct call_event *event)
{
	const struct traced_call *call = &event->call;
	const struct tree *tree = all->source->tree;
	const uint32_t function = traced_function(all->process, call->function);
	const struct window_call caller = innermost(all);
	struct window_call made = {
		.node = tree_child(all->out, caller.node, function),
		.former = caller.former == TREE_ROOT && all->open_count > 0
				  ? TREE_ROOT
				  : tree_find(tree, caller.former, function),
	};

	if (made.former != TREE_ROOT)
		copy_details(&all->out->nodes[made.node],
			     &tree->nodes[made.former]);
	all->out->nodes[made.node].is_context = 1;
	if (call->begin_tsc &&
	    window_has(&all->source->window,
		       clock_time_ns(&all->process->clock, call->begin_tsc)))
		tree_add(all->out, made.node,
			 &(struct measure){ .calls = 1,
					    .tails = call->is_tail });
	all->open = memory_grow(all->open, all->open_count, &all->open_capacity,
				sizeof(*all->open));
	all->open[all->open_count++] = made;
}

static void take_event(struct windowing *all, const struct call_event *event)
{
	if (event->tid != all->tid) {
		all->tid = event->tid;
		all->open_count = 0;
		all->latest_ns = 0;
	}
	if (event->kind == CALL_GAP) {
		/* It is not known which function was running. */
		all->latest_ns = 0;
		return;
	}
	pass_time(all,
		  clock_time_ns(&all->process->clock,
				event->kind == CALL_BEGIN ? event->call.seen_tsc
							  : event->tsc));
	if (event->kind == CALL_BEGIN)
		begin_call(all, event);
	else if (all->open_count > 0)
		all->open_count--;
}

static void read_tally(struct windowing *all, size_t first, size_t stop)
{
	const struct window_source *source = all->source;
	struct thread_calls calls;
	struct call_event event;

	all->open_count = 0;
	all->latest_ns = 0;
	all->tid = 0;
	thread_calls_init(&calls, &all->process->trace, first, stop);
	thread_calls_window(&calls,
			    window_from_tsc(all->process, &source->window),
			    window_to_tsc(all->process, &source->window));
	while (thread_calls_next(&calls, &event))
		if (traces_want(source->traces, all->process, event.tid))
			take_event(all, &event);
	thread_calls_fini(&calls);
}

/* Returns the node of the recording's tree for a root of the new tree. */
static uint32_t former_root(const struct windowing *all, uint32_t root)
{
	return root == TREE_ROOT ? TREE_ROOT
				 : tree_find(all->source->tree, TREE_ROOT,
					     all->out->nodes[root].function);
}

/*
 * Reads a process. Its roots are those that the whole recording has for
 * processes or threads.
 */
static void read_process(struct windowing *all)
{
	const struct window_source *source = all->source;
	const struct trace *trace = &all->process->trace;
	const struct part_copy *part =
		traces_bring_part(source->traces, all->process);
	struct merged ignored = { 0 };
	struct roots roots;
	size_t stop;

	if (!part)
		return;
	roots_init(&roots, part, source->whose, source->traces->catalog,
		   all->out);
	roots_select(&roots, &ignored);
	for (size_t at = 0; at < trace->count; at = stop) {
		const uint64_t root =
			roots_of(&roots, trace->packets[at].tally);

		stop = trace_tally_stop(trace, at);
		if (root == 0)
			continue;
		all->root.node = (uint32_t)(root - 1);
		all->root.former = former_root(all, all->root.node);
		read_tally(all, at, stop);
	}
	roots_fini(&roots);
	traces_let_part_go(source->traces, all->process);
}

/* ---- Both ---- */

void window_tree_init(struct tree *out, const struct window_source *source,
		      struct timeline *timeline)
{
	struct windowing all = {
		.source = source,
		.out = out,
		.moved = memory_zeroed(source->tree->count, sizeof(*all.moved)),
	};

	tree_init(out);
	all.moved[TREE_ROOT] = TREE_ROOT + 1;
	timeline_cut(timeline, source->window.from_ns,
		     source->window.to_ns ? source->window.to_ns : UINT64_MAX);
	add_samples(&all, timeline);
	for (size_t i = 0; source->traces && i < source->traces->count; i++) {
		all.process = &source->traces->processes[i];
		read_process(&all);
	}
	free(all.open);
	free(all.moved);
	tree_sum(out);
}
