/* SPDX-License-Identifier: MIT */
/* See part_marks.h. */
#include "report/merge/part_marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/merge/event_reader.h"
#include "report/recording/marks_reader.h"
#include "report/recording/probes_reader.h"

/* The names of marks of a process, by their numbers in the part. */
struct mark_names {
	const struct wire_mark_name *items;
	/*
	 * 1 + number of the name in the list of marks; 0 if no mark has used
	 * the name yet
	 */
	uint32_t *numbers;
	uint32_t count;
	/*
	 * 1 + number in the list for marks whose name had no room; 0 if there
	 * is none yet
	 */
	uint32_t others;
};

struct marks_work {
	struct mark_list *list;
	struct event_reader event_reader;
	struct mark_names names;
	/* whether the probe is at the returns of a function */
	uint8_t is_of_return[WIRE_PROBES_MAX];
	/*
	 * Number in the process of the only function at whose returns there are
	 * probes; 0 if there is none or more than one.
	 */
	uint32_t returning;
};

/* ---- Probes at returns ---- */

static void read_probes(struct marks_work *work, const struct part_chunk *chunk)
{
	static const char suffix[] = "%return";
	const size_t bytes = sizeof(suffix) - 1;
	struct recorded_probe probe;
	size_t at = 0;

	while (recorded_probe_next(chunk, &at, &probe))
		work->is_of_return[probe.number] =
			probe.text_bytes > bytes &&
			memcmp(probe.text + probe.text_bytes - bytes, suffix,
			       bytes) == 0;
}

static void read_places(struct marks_work *work, const struct part_chunk *chunk,
			int *is_unclear)
{
	const struct wire_probe_place *places = (const void *)chunk->payload;

	for (size_t i = 0; i < part_chunk_used(chunk) / sizeof(*places); i++) {
		const struct wire_probe_place *place = &places[i];

		if (place->probe >= WIRE_PROBES_MAX ||
		    !work->is_of_return[place->probe] || !place->function)
			continue;
		*is_unclear |=
			work->returning && work->returning != place->function;
		work->returning = place->function;
	}
}

static void find_returning(struct marks_work *work,
			   const struct part_copy *part)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;
	int is_unclear = 0;

	while (part_next_chunk(part, &cursor, &chunk))
		if (chunk.kind == WIRE_PROBES)
			read_probes(work, &chunk);
	cursor = 0;
	while (part_next_chunk(part, &cursor, &chunk))
		if (chunk.kind == WIRE_PROBE_PLACES)
			read_places(work, &chunk, &is_unclear);
	if (is_unclear)
		work->returning = 0;
}

/* ---- Marks ---- */

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

/*
 * Sets the function of a call that caused a snapshot. A mark is recorded in the
 * function that returns. That is another one than the probe's function if the
 * call ended with a jump into it.
 */
static void set_function(struct marks_work *work, struct mark_event *event)
{
	const int is_region =
		event->kind == WIRE_MARK_BEGIN || event->kind == WIRE_MARK_END;

	if (is_region && work->returning &&
	    strcmp(work->list->sums[event->name].name,
		   WIRE_MARK_SNAPSHOT_CALL) == 0)
		event->function = numbering_function(
			work->event_reader.contexts->numbering,
			work->returning);
}

static void add_marks(struct marks_work *work,
		      const struct recorded_marks *marks)
{
	for (uint32_t i = 0; i < marks->count; i++) {
		const struct wire_mark *mark = &marks->items[i];
		struct mark_event event;

		if (mark->kind == WIRE_MARK_FREE ||
		    mark->kind >= WIRE_MARK_KIND_COUNT ||
		    !event_reader_selects(&work->event_reader, mark->tid))
			continue;
		event = event_reader_event(&work->event_reader, mark->tsc,
					   mark->id, mark->tid);
		event.kind = mark->kind;
		event.number = mark->number;
		event.name = name_of(work, mark);
		set_function(work, &event);
		mark_list_add(work->list, &event);
	}
}

void part_marks_add(struct mark_list *list, const struct part_copy *part,
		    struct contexts *contexts, const char *thread)
{
	struct marks_work work = { .list = list };
	struct recorded_mark_names names;
	struct recorded_marks marks;
	struct part_chunk chunk;
	uint64_t cursor = 0;

	event_reader_init(&work.event_reader, part, contexts, thread);
	while (part_next_chunk(part, &cursor, &chunk))
		if (recorded_mark_names_of(&chunk, &names))
			add_names(&work, &names);
	find_returning(&work, part);
	cursor = 0;
	while (part_next_chunk(part, &cursor, &chunk))
		if (recorded_marks_of(&chunk, &marks))
			add_marks(&work, &marks);
	event_reader_fini(&work.event_reader);
	free(work.names.numbers);
}
