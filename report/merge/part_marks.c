/* SPDX-License-Identifier: MIT */
#include "report/merge/part_marks.h"

#include <stdlib.h>

#include "base/memory.h"
#include "report/model/clock.h"
#include "report/recording/marks_reader.h"
#include "report/recording/part_threads.h"
#include "wire/id.h"

/* Names of a process, by their numbers in it. */
struct mark_names {
	const struct wire_mark_name *items;
	uint32_t *numbers; /* 1 + that of the list; 0: no mark has had it yet */
	uint32_t count;
	uint32_t others; /* of those without room, likewise */
};

struct marks_work {
	struct mark_list *list;
	const struct part_copy *part;
	const struct contexts *contexts;
	const char *thread;
	struct threads threads;
	struct mark_names names;
	struct clock clock;
};

static void add_names(struct marks_work *work,
		      const struct recorded_mark_names *names)
{
	for (unsigned int i = 0; i < WIRE_MARK_LOSS_COUNT; i++)
		work->list->lost[i] += names->head->lost[i];
	if (names->count <= work->names.count)
		return;
	free(work->names.numbers);
	work->names.numbers = memory_zeroed(names->count, sizeof(uint32_t));
	work->names.items = names->items;
	work->names.count = names->count;
}

static uint32_t name_of(struct marks_work *work, const struct wire_mark *mark)
{
	const uint32_t index = mark->name - 1U;
	const int is_there = index < work->names.count &&
			     work->names.items[index].state == WIRE_NAME_THERE;
	uint32_t *number =
		is_there ? &work->names.numbers[index] : &work->names.others;

	if (*number == 0)
		*number = 1 + mark_list_name(
				      work->list,
				      is_there ? work->names.items[index].text
					       : "(other names)");
	return *number - 1;
}

static uint32_t function_of(const struct marks_work *work,
			    const struct wire_mark *mark)
{
	const struct context *context =
		mark->id == ID_ROOT ? NULL
				    : contexts_find(work->contexts, mark->id);

	return context ? numbering_function(work->contexts->numbering,
					    context->function)
		       : FUNCTION_NONE;
}

static int is_wanted(const struct marks_work *work, uint32_t tid)
{
	if (!work->thread)
		return 1;
	for (size_t i = 0; i < work->threads.count; i++)
		if (work->threads.items[i].tid == tid)
			return thread_is(&work->threads.items[i], work->thread);
	return 0;
}

static void add_marks(struct marks_work *work,
		      const struct recorded_marks *marks)
{
	for (uint32_t i = 0; i < marks->count; i++) {
		const struct wire_mark *mark = &marks->items[i];

		if (mark->kind == WIRE_MARK_FREE ||
		    mark->kind >= WIRE_MARK_KIND_COUNT ||
		    !is_wanted(work, mark->tid))
			continue;
		mark_list_add(work->list,
			      &(struct mark_event){
				      .time_ns = clock_time_ns(&work->clock,
							       mark->tsc),
				      .number = mark->number,
				      .kind = mark->kind,
				      .name = name_of(work, mark),
				      .pid = work->part->header->pid,
				      .tid = mark->tid,
				      .function = function_of(work, mark),
			      });
	}
}

void part_marks_add(struct mark_list *list, const struct part_copy *part,
		    struct contexts *contexts, const char *thread)
{
	struct marks_work work = {
		.list = list,
		.part = part,
		.contexts = contexts,
		.thread = thread,
	};
	const size_t from = list->event_count;
	struct recorded_mark_names names;
	struct recorded_marks marks;
	struct part_chunk chunk;
	uint64_t cursor = 0;

	clock_init(&work.clock, part->header);
	threads_init(&work.threads, part);
	while (part_next_chunk(part, &cursor, &chunk))
		if (recorded_mark_names_of(&chunk, &names))
			add_names(&work, &names);
	cursor = 0;
	while (part_next_chunk(part, &cursor, &chunk))
		if (recorded_marks_of(&chunk, &marks))
			add_marks(&work, &marks);
	mark_list_pair(list, from);
	threads_fini(&work.threads);
	free(work.names.numbers);
}
