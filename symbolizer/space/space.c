/* SPDX-License-Identifier: MIT */
/*
 * An address space over time: see a2n.h for what it promises.
 *
 * Changes are only noted as events; committing sorts them by time, keeping the
 * order of those of one time, and replays them on the timeline. As long as new
 * events are later than all that were replayed, only they are; else all are.
 */
#include "symbolizer/space/space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT64_MAX

static int reserve(void **items, size_t count, size_t *capacity, size_t size)
{
	size_t room = *capacity ? *capacity * 2 : 64;
	void *grown;

	if (count < *capacity)
		return 0;
	grown = reallocarray(*items, room, size);
	if (!grown)
		return -ENOMEM;
	*items = grown;
	*capacity = room;
	return 0;
}

static char *printable(char *text)
{
	for (char *at = text; at && *at; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	}
	return text;
}

int a2n_space_create(struct a2n *a2n, struct a2n_space **out)
{
	struct a2n_space *space = calloc(1, sizeof(*space));

	if (!space)
		return -ENOMEM;
	space->a2n = a2n;
	*out = space;
	return 0;
}

void a2n_space_destroy(struct a2n_space *space)
{
	for (size_t i = 0; i < space->object_count; i++) {
		free(space->objects[i]->name);
		free(space->objects[i]->lines);
		free(space->objects[i]);
	}
	for (size_t i = 0; i < space->file_count; i++)
		free(space->files[i]);
	timeline_fini(&space->timeline);
	free(space->objects);
	free(space->events);
	free(space->starts);
	free(space->files);
	free(space);
}

static int add_event(struct a2n_space *space, const struct space_event *event)
{
	int err = reserve((void **)&space->events, space->event_count,
			  &space->event_capacity, sizeof(*space->events));

	if (!err)
		space->events[space->event_count++] = *event;
	return err;
}

/* Adds an object and the event that puts it somewhere. */
static int add_object(struct a2n_space *space,
		      const struct space_object *wanted, uint64_t start,
		      uint64_t time)
{
	struct space_event event = {
		.time = time,
		.start = start,
		.object = (uint32_t)space->object_count,
		.kind = SPACE_PUT,
	};
	struct space_object *object;

	if (space->object_count >= UINT32_MAX ||
	    wanted->bytes > UINT64_MAX - start)
		return -EINVAL;
	if (reserve((void **)&space->objects, space->object_count,
		    &space->object_capacity, sizeof(struct space_object *)))
		return -ENOMEM;
	object = malloc(sizeof(*object));
	if (!object)
		return -ENOMEM;
	memcpy(object, wanted, sizeof(*object));
	object->name = strdup(wanted->name);
	if (!object->name || add_event(space, &event) != 0) {
		free(object->name);
		free(object);
		return -ENOMEM;
	}
	space->objects[space->object_count++] = object;
	return 0;
}

int a2n_space_map(struct a2n_space *space, const struct a2n_mapping *mapping,
		  uint64_t time)
{
	const struct space_object object = {
		.name = (char *)mapping->path,
		.bytes = mapping->bytes,
		.file_offset = mapping->file_offset,
		.build_id = mapping->build_id,
	};

	return add_object(space, &object, mapping->start, time);
}

int a2n_space_unmap(struct a2n_space *space, uint64_t start, uint64_t bytes,
		    uint64_t time)
{
	const struct space_event event = {
		.time = time,
		.start = start,
		.bytes =
			bytes > UINT64_MAX - start ? UINT64_MAX - start : bytes,
		.kind = SPACE_CLEAR,
	};

	return add_event(space, &event);
}

int a2n_space_add(struct a2n_space *space, const struct a2n_code *code,
		  uint64_t time, uint64_t *id)
{
	const struct space_object object = {
		.name = (char *)code->name,
		.bytes = code->bytes,
		.is_code = 1,
	};
	int err = add_object(space, &object, code->start, time);

	if (err)
		return err;
	printable(space->objects[space->object_count - 1]->name);
	if (id)
		*id = space->object_count;
	return 0;
}

static struct space_object *code_of(const struct a2n_space *space, uint64_t id)
{
	if (id == 0 || id > space->object_count ||
	    !space->objects[id - 1]->is_code)
		return NULL;
	return space->objects[id - 1];
}

int a2n_space_move(struct a2n_space *space, uint64_t id, uint64_t start,
		   uint64_t time)
{
	const struct space_object *object = code_of(space, id);
	const struct space_event event = {
		.time = time,
		.start = start,
		.object = (uint32_t)(id - 1),
		.kind = SPACE_MOVE,
	};

	if (!object)
		return -ENOENT;
	if (object->bytes > UINT64_MAX - start)
		return -EINVAL;
	return add_event(space, &event);
}

int a2n_space_remove(struct a2n_space *space, uint64_t id, uint64_t time)
{
	const struct space_event event = {
		.time = time,
		.object = (uint32_t)(id - 1),
		.kind = SPACE_REMOVE,
	};

	return code_of(space, id) ? add_event(space, &event) : -ENOENT;
}

/* The one copy of a file's name; most lines have that of the line before. */
static const char *file_name(struct a2n_space *space, const char *file)
{
	char *copy;

	for (size_t i = space->file_count;
	     i-- > 0 && space->file_count - i <= 8;) {
		if (strcmp(space->files[i], file) == 0)
			return space->files[i];
	}
	if (reserve((void **)&space->files, space->file_count,
		    &space->file_capacity, sizeof(char *)) != 0)
		return NULL;
	copy = printable(strdup(file));
	if (copy)
		space->files[space->file_count++] = copy;
	return copy;
}

int a2n_space_add_line(struct a2n_space *space, uint64_t id, uint64_t offset,
		       const char *file, uint32_t line, uint32_t discriminator)
{
	struct space_object *object = code_of(space, id);
	const char *name;

	if (!object)
		return -ENOENT;
	name = file_name(space, file);
	if (!name || reserve((void **)&object->lines, object->line_count,
			     &object->line_capacity, sizeof(*object->lines)))
		return -ENOMEM;
	object->lines[object->line_count++] = (struct space_line){
		.offset = offset,
		.file = name,
		.line = line,
		.discriminator = discriminator,
	};
	return 0;
}

/* ---- committing ---- */

static int by_time(const void *left, const void *right)
{
	const struct space_event *a = left, *b = right;

	return a->time < b->time ? -1 : a->time > b->time;
}

/* A merge sort, since events of one time have to stay in order. */
static int sort_events(struct space_event *events, size_t count)
{
	struct space_event *merged;
	size_t half = count / 2, left = 0, right = half, at = 0;
	int err;

	if (count < 2)
		return 0;
	err = sort_events(events, half);
	if (!err)
		err = sort_events(events + half, count - half);
	if (err || by_time(&events[half - 1], &events[half]) <= 0)
		return err;
	merged = malloc(count * sizeof(*merged));
	if (!merged)
		return -ENOMEM;
	while (left < half && right < count)
		merged[at++] = by_time(&events[left], &events[right]) <= 0
				       ? events[left++]
				       : events[right++];
	while (left < half)
		merged[at++] = events[left++];
	while (right < count)
		merged[at++] = events[right++];
	memcpy(events, merged, count * sizeof(*merged));
	free(merged);
	return 0;
}

static int by_offset(const void *left, const void *right)
{
	const struct space_line *a = left, *b = right;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int remove_object(struct a2n_space *space, uint32_t object,
			 uint64_t time)
{
	uint64_t start = space->starts[object];
	int err;

	if (start == NOWHERE)
		return 0;
	err = timeline_remove(&space->timeline, start,
			      start + space->objects[object]->bytes, time,
			      object);
	if (!err)
		space->starts[object] = NOWHERE;
	return err;
}

static int replay(struct a2n_space *space, const struct space_event *event)
{
	struct timeline *timeline = &space->timeline;
	int err = 0;

	if (event->kind == SPACE_CLEAR)
		return timeline_clear(timeline, event->start,
				      event->start + event->bytes, event->time);
	if (event->kind != SPACE_PUT)
		err = remove_object(space, event->object, event->time);
	if (err || event->kind == SPACE_REMOVE)
		return err;
	err = timeline_put(timeline, event->start,
			   event->start + space->objects[event->object]->bytes,
			   event->time, event->object);
	if (!err)
		space->starts[event->object] = event->start;
	return err;
}

static int grow_starts(struct a2n_space *space)
{
	uint64_t *starts = reallocarray(space->starts, space->object_count + 1,
					sizeof(*starts));

	if (!starts)
		return -ENOMEM;
	space->starts = starts;
	while (space->start_count < space->object_count)
		starts[space->start_count++] = NOWHERE;
	return 0;
}

/* Whether an event that was not replayed is before one that was. */
static int is_late(const struct a2n_space *space)
{
	for (size_t i = space->done; i < space->event_count; i++) {
		if (space->events[i].time < space->done_time)
			return 1;
	}
	return 0;
}

static void start_anew(struct a2n_space *space)
{
	timeline_fini(&space->timeline);
	space->done = 0;
	space->done_time = 0;
	space->start_count = 0;
}

int a2n_space_commit(struct a2n_space *space)
{
	int err;

	if (is_late(space))
		start_anew(space);
	err = grow_starts(space);
	if (!err)
		err = sort_events(space->events + space->done,
				  space->event_count - space->done);
	while (!err && space->done < space->event_count) {
		const struct space_event *event = &space->events[space->done];

		err = replay(space, event);
		if (!err) {
			space->done_time = event->time;
			space->done++;
		}
	}
	for (size_t i = 0; i < space->object_count; i++) {
		struct space_object *object = space->objects[i];

		if (object->line_count > 1)
			qsort(object->lines, object->line_count,
			      sizeof(*object->lines), by_offset);
	}
	return err ? err : timeline_settle(&space->timeline);
}
