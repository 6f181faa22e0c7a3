/* SPDX-License-Identifier: MIT */
/* See teller.h. */
#include "report/merge/teller.h"

#include "wire/id.h"

void teller_init(struct teller *teller, const struct part_copy *part,
		 struct contexts *contexts, const char *thread)
{
	*teller = (struct teller){
		.part = part,
		.contexts = contexts,
		.thread = thread,
	};
	clock_init(&teller->clock, part->header);
	threads_init(&teller->threads, part);
}

void teller_fini(struct teller *teller)
{
	threads_fini(&teller->threads);
}

int teller_is_asked(const struct teller *teller, uint32_t tid)
{
	if (!teller->thread)
		return 1;
	for (size_t i = 0; i < teller->threads.count; i++)
		if (teller->threads.items[i].tid == tid)
			return thread_is(&teller->threads.items[i],
					 teller->thread);
	return 0;
}

static uint32_t function_of(const struct teller *teller, uint64_t id)
{
	const struct context *context =
		id == ID_ROOT ? NULL : contexts_find(teller->contexts, id);

	return context ? numbering_function(teller->contexts->numbering,
					    context->function)
		       : FUNCTION_NONE;
}

struct mark_event teller_event(const struct teller *teller, uint64_t tsc,
			       uint64_t id, uint32_t tid)
{
	return (struct mark_event){
		.time_ns = clock_time_ns(&teller->clock, tsc),
		.kind = WIRE_MARK_MOMENT,
		.pid = teller->part->header->pid,
		.tid = tid,
		.function = function_of(teller, id),
	};
}
