/* SPDX-License-Identifier: MIT */
/*
 * A sample refers to a stack, a stack to frames, and a frame to a function's
 * name and its module. Each is written before the first sample that needs it.
 * Stacks have the numbers of the tree's nodes.
 */
#include "report/export/perfetto_samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct stack_numbers {
	struct perfetto *perfetto;
	const struct tree *tree;
	struct idmap stacks; /* maps each node that was written to 1 */
	/* maps 1 + each function that was written to 1 */
	struct idmap functions;
	/* maps 2 + the index of each module that was written to 1 */
	struct idmap modules;
};

/* Adds a key to the map. Returns whether it is new. */
static int enter(struct idmap *map, uint64_t key)
{
	uint64_t *seen = idmap_at(map, key);
	const int is_new = !*seen;

	*seen = 1;
	return is_new;
}

static void write_interned(struct stack_numbers *sampled,
			   Perfetto__InternedData *interned)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	packet.interned_data = interned;
	perfetto_write(sampled->perfetto, &packet);
}

static ProtobufCBinaryData bytes_of(const char *text)
{
	return (ProtobufCBinaryData){ .data = (uint8_t *)text,
				      .len = strlen(text) };
}

/*
 * Returns the number of a module. Number 1 stands for functions without a
 * module.
 */
static uint64_t module_of(struct stack_numbers *sampled, uint32_t module)
{
	const uint64_t iid =
		module == CATALOG_NO_MODULE ? 1 : (uint64_t)module + 2;
	Perfetto__InternedData interned = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__InternedString path = PERFETTO__INTERNED_STRING__INIT;
	Perfetto__InternedString *paths[] = { &path };
	Perfetto__Mapping mapping = PERFETTO__MAPPING__INIT;
	Perfetto__Mapping *mappings[] = { &mapping };
	uint64_t path_id = iid;

	if (!enter(&sampled->modules, iid))
		return iid;
	path.has_iid = path.has_str = mapping.has_iid = 1;
	path.iid = mapping.iid = iid;
	path.str =
		bytes_of(iid == 1 ? "(none)"
				  : sampled->perfetto->catalog->modules[module]
					    .printable_path);
	mapping.path_string_ids = &path_id;
	mapping.n_path_string_ids = 1;
	interned.mapping_paths = paths;
	interned.mappings = mappings;
	interned.n_mapping_paths = interned.n_mappings = 1;
	write_interned(sampled, &interned);
	return iid;
}

/*
 * Returns the number of the function's frame, which is also that of its name.
 */
static uint64_t frame_of(struct stack_numbers *sampled, uint32_t function)
{
	struct catalog *catalog = sampled->perfetto->catalog;
	const uint64_t iid = (uint64_t)function + 1;
	Perfetto__InternedData interned = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__InternedString name = PERFETTO__INTERNED_STRING__INIT;
	Perfetto__InternedString *names[] = { &name };
	Perfetto__Frame frame = PERFETTO__FRAME__INIT;
	Perfetto__Frame *frames[] = { &frame };

	if (!enter(&sampled->functions, iid))
		return iid;
	name.has_iid = name.has_str = 1;
	name.iid = iid;
	name.str = bytes_of(catalog_marked_name(catalog, function));
	frame.has_iid = frame.has_function_name_id = 1;
	frame.iid = frame.function_name_id = iid;
	frame.has_mapping_id = frame.has_rel_pc = 1;
	frame.mapping_id =
		module_of(sampled, catalog->functions[function].module);
	frame.rel_pc = catalog->functions[function].vaddr;
	interned.function_names = names;
	interned.frames = frames;
	interned.n_function_names = interned.n_frames = 1;
	write_interned(sampled, &interned);
	return iid;
}

/*
 * Returns the frames of a stack; in a stack that is too deep, without the
 * middle ones.
 */
static uint64_t *frames_of(struct stack_numbers *sampled, uint32_t node,
			   size_t *count)
{
	const struct tree_node *nodes = sampled->tree->nodes;
	const uint32_t depth = nodes[node].depth;
	uint64_t *frames;

	*count = depth < EXPORT_STACK_MAX ? depth : EXPORT_STACK_MAX - 1;
	frames = memory_zeroed(*count + 1, sizeof(*frames));
	sampled->perfetto->export->cut_stacks += depth > *count;
	for (uint32_t at = depth; at > 0; at--, node = nodes[node].parent) {
		size_t index = at - 1;

		if (depth > *count && at > EXPORT_STACK_OUTER) {
			if (depth - at >= EXPORT_STACK_INNER)
				continue;
			index = *count - 1 - (depth - at);
		}
		frames[index] = frame_of(sampled, nodes[node].function);
	}
	return frames;
}

static void write_stack(struct stack_numbers *sampled, uint32_t node)
{
	Perfetto__InternedData interned = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__Callstack stack = PERFETTO__CALLSTACK__INIT;
	Perfetto__Callstack *stacks[] = { &stack };

	if (!enter(&sampled->stacks, node))
		return;
	stack.has_iid = 1;
	stack.iid = node;
	stack.frame_ids = frames_of(sampled, node, &stack.n_frame_ids);
	interned.callstacks = stacks;
	interned.n_callstacks = 1;
	write_interned(sampled, &interned);
	free(stack.frame_ids);
}

static void write_sample(struct stack_numbers *sampled,
			 const struct timeline_sample *sample,
			 const struct timeline_thread *thread, uint32_t node)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__PerfSample perf = PERFETTO__PERF_SAMPLE__INIT;

	write_stack(sampled, node);
	packet.has_timestamp = 1;
	packet.timestamp = sample->time_ns;
	packet.perf_sample = &perf;
	perf.has_cpu = perf.has_pid = perf.has_tid = 1;
	perf.pid = thread->pid;
	perf.tid = thread->tid;
	perf.has_callstack_iid = 1;
	perf.callstack_iid = node;
	perfetto_write(sampled->perfetto, &packet);
}

void perfetto_samples(struct perfetto *perfetto)
{
	const struct export *export = perfetto->export;
	const struct timeline *timeline = &export->session->timeline;
	struct stack_numbers sampled = { .perfetto = perfetto,
					 .tree = export->tree };
	uint32_t *moved = export_moved(export);

	for (size_t i = 0; i < timeline->count; i++) {
		const struct timeline_sample *sample = &timeline->samples[i];
		const uint32_t node = moved[sample->node];

		if (node != TREE_ROOT)
			write_sample(&sampled, sample,
				     &timeline->threads[sample->thread], node);
	}
	free(moved);
	idmap_fini(&sampled.stacks);
	idmap_fini(&sampled.functions);
	idmap_fini(&sampled.modules);
}
