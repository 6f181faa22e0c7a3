/* SPDX-License-Identifier: MIT */
/*
 * Perfetto's own format: a track for each thread with the calls of a trace as
 * slices, gaps as instants, and marked moments and regions. Samples are events
 * of their threads, with their stacks.
 *
 * Events are not sorted, since readers of the format sort them by time. A trace
 * of any length therefore needs little memory.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "report/export/export_calls.h"
#include "report/export/perfetto_packets.h"
#include "report/export/perfetto_samples.h"
#include "report/write/trace_lines.h"

/* ---- Calls ---- */

struct slices {
	struct perfetto *perfetto;
	const struct traced_process *process; /* process of the last slice */
	uint32_t tid; /* thread of the last slice, and of `track` */
	uint64_t track;
};

static void write_slice(void *context, const struct exported_call *call)
{
	struct slices *slices = context;
	struct perfetto *perfetto = slices->perfetto;
	const struct call_event *event = call->event;
	struct perfetto_event slice = { .time_ns = call->time_ns };

	if (slices->process != call->process || slices->tid != event->tid)
		slices->track = perfetto_thread(
			perfetto, call->process->part->header->pid, event->tid,
			traced_thread_name(call->process, event->tid));
	slices->process = call->process;
	slices->tid = event->tid;
	slice.track = slices->track;
	if (event->kind == CALL_END) {
		slice.type = PERFETTO_END;
	} else if (event->kind == CALL_BEGIN) {
		slice.type = PERFETTO_BEGIN;
		slice.name = perfetto_function(call->function);
	} else {
		slice.type = PERFETTO_INSTANT;
		slice.name = perfetto_name(perfetto, call_gap_text(event->gap));
	}
	perfetto_event(perfetto, &slice);
}

/* ---- Marks ---- */

enum { NOTES_MAX = 64 };

struct notes {
	Perfetto__DebugAnnotation items[NOTES_MAX];
	Perfetto__DebugAnnotation *pointers[NOTES_MAX];
	size_t count;
};

static Perfetto__DebugAnnotation *add_note(struct notes *notes,
					   const char *name)
{
	Perfetto__DebugAnnotation *note = &notes->items[notes->count];

	*note = (Perfetto__DebugAnnotation)PERFETTO__DEBUG_ANNOTATION__INIT;
	note->name = (char *)name;
	notes->pointers[notes->count++] = note;
	return note;
}

static void add_number(struct notes *notes, const char *name, uint64_t number)
{
	Perfetto__DebugAnnotation *note = add_note(notes, name);

	note->has_uint_value = 1;
	note->uint_value = number;
}

static void take_notes(struct perfetto *perfetto, struct notes *notes,
		       const struct mark_event *event)
{
	const struct mark_list *marks = &perfetto->export->session->marks;

	add_number(notes, "number", event->number);
	if (event->function != FUNCTION_NONE)
		add_note(notes, "function")->string_value =
			(char *)catalog_marked_name(perfetto->catalog,
						    event->function);
	for (uint32_t i = 0; i < event->value_count && notes->count < NOTES_MAX;
	     i++) {
		const struct mark_value *value =
			&marks->values[event->first_value + i];

		if (value->is_missing)
			continue;
		if (value->string)
			add_note(notes, value->name)->string_value =
				value->string;
		else
			add_number(notes, value->name, value->number);
	}
}

/*
 * Returns the track of a mark. A moment is on its thread's track. The beginning
 * and the end of a region are on the same track, which is identified by the
 * region's name, number and thread.
 */
static uint64_t mark_track(struct perfetto *perfetto,
			   const struct mark_event *event, const char *name)
{
	const uint64_t parent =
		perfetto_thread(perfetto, event->pid, event->tid, "");
	uint64_t key;

	if (event->kind == WIRE_MARK_MOMENT)
		return parent;
	key = hash_add(HASH_START, &event->name, sizeof(event->name));
	key = hash_add(key, &event->number, sizeof(event->number));
	key = hash_add(key, &parent, sizeof(parent));
	return perfetto_track(perfetto, parent, hash_key(key), name);
}

static void write_mark(struct perfetto *perfetto,
		       const struct mark_event *event)
{
	const struct mark_list *marks = &perfetto->export->session->marks;
	const char *name = marks->sums[event->name].name;
	const struct mark_event *place = event;
	struct notes notes = { .count = 0 };
	struct perfetto_event told = {
		.time_ns = event->time_ns,
		.type = event->kind == WIRE_MARK_MOMENT  ? PERFETTO_INSTANT
			: event->kind == WIRE_MARK_BEGIN ? PERFETTO_BEGIN
							 : PERFETTO_END,
		.notes = notes.pointers,
	};

	if (event->kind == WIRE_MARK_END) {
		if (!event->other)
			return;
		place = &marks->events[event->other - 1];
	} else {
		told.name = perfetto_name(perfetto, name);
	}
	take_notes(perfetto, &notes, event);
	told.note_count = notes.count;
	told.track = mark_track(perfetto, place, name);
	perfetto_event(perfetto, &told);
}

static void write_marks(struct perfetto *perfetto)
{
	const struct mark_list *marks = &perfetto->export->session->marks;

	for (size_t i = 0; i < marks->event_count; i++)
		if (window_has(&perfetto->export->window,
			       marks->events[i].time_ns))
			write_mark(perfetto, &marks->events[i]);
}

/* Writes the names of threads that have samples. */
static void name_threads(struct perfetto *perfetto)
{
	const struct timeline *timeline = &perfetto->export->session->timeline;

	for (size_t i = 0; i < timeline->thread_count; i++)
		perfetto_thread(perfetto, timeline->threads[i].pid,
				timeline->threads[i].tid,
				timeline->threads[i].name);
}

int export_perfetto(struct export *export, FILE *out, char **why)
{
	struct perfetto perfetto;
	struct slices slices = { .perfetto = &perfetto };

	(void)why;
	perfetto_init(&perfetto, export, out);
	name_threads(&perfetto);
	export_calls(export, write_slice, &slices);
	write_marks(&perfetto);
	perfetto_samples(&perfetto);
	perfetto_fini(&perfetto);
	return 0;
}
