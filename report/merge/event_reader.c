/* SPDX-License-Identifier: MIT */
/* See event_reader.h. */
#include "report/merge/event_reader.h"

#include "wire/id.h"

void event_reader_init(struct event_reader *event_reader,
		       const struct part_copy *part, struct contexts *contexts,
		       const char *thread)
{
	*event_reader = (struct event_reader){
		.part = part,
		.contexts = contexts,
		.thread = thread,
	};
	clock_init(&event_reader->clock, part->header);
	threads_init(&event_reader->threads, part);
}

void event_reader_fini(struct event_reader *event_reader)
{
	threads_fini(&event_reader->threads);
}

int event_reader_selects(const struct event_reader *event_reader, uint32_t tid)
{
	if (!event_reader->thread)
		return 1;
	for (size_t i = 0; i < event_reader->threads.count; i++)
		if (event_reader->threads.items[i].tid == tid)
			return thread_is(&event_reader->threads.items[i],
					 event_reader->thread);
	return 0;
}

static uint32_t function_of(const struct event_reader *event_reader,
			    uint64_t id)
{
	const struct context *context =
		id == ID_ROOT ? NULL
			      : contexts_find(event_reader->contexts, id);

	return context ? numbering_function(event_reader->contexts->numbering,
					    context->function)
		       : FUNCTION_NONE;
}

struct mark_event event_reader_event(const struct event_reader *event_reader,
				     uint64_t tsc, uint64_t id, uint32_t tid)
{
	return (struct mark_event){
		.time_ns = clock_time_ns(&event_reader->clock, tsc),
		.kind = WIRE_MARK_MOMENT,
		.pid = event_reader->part->header->pid,
		.tid = tid,
		.function = function_of(event_reader, id),
	};
}
