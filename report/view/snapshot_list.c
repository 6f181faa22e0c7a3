/* SPDX-License-Identifier: MIT */
/* See snapshot_list.h. */
#include "report/view/snapshot_list.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "wire/snapshot_name.h"

/* ---- The moments of snapshots ---- */

/* The marks "snapshot N" of all processes, sorted by pid, number and time. */
struct moments {
	const struct mark_event **items;
	size_t count;
};

static int by_process(const void *left, const void *right)
{
	const struct mark_event *a = *(const struct mark_event *const *)left;
	const struct mark_event *b = *(const struct mark_event *const *)right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

static int is_named(const struct mark_list *marks,
		    const struct mark_event *event, const char *name)
{
	return strcmp(marks->sums[event->name].name, name) == 0;
}

static struct moments moments_of(const struct mark_list *marks)
{
	struct moments moments = {
		.items = memory_zeroed(marks->event_count + 1,
				       sizeof(struct mark_event *)),
	};

	for (size_t i = 0; i < marks->event_count; i++)
		if (marks->events[i].kind == WIRE_MARK_MOMENT &&
		    is_named(marks, &marks->events[i], WIRE_MARK_SNAPSHOT))
			moments.items[moments.count++] = &marks->events[i];
	qsort(moments.items, moments.count, sizeof(struct mark_event *),
	      by_process);
	return moments;
}

/*
 * Returns the first moment of a process's snapshot that is not before the start
 * of the process image; NULL: none. A later image of the same process counts
 * its snapshots anew.
 */
static const struct mark_event *find_moment(const struct moments *moments,
					    uint32_t pid, uint32_t number,
					    uint64_t start_ns)
{
	const struct mark_event wanted = { .pid = pid,
					   .number = number,
					   .time_ns = start_ns };
	const struct mark_event *const key = &wanted;
	size_t low = 0, high = moments->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (by_process(&moments->items[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == moments->count || moments->items[low]->pid != pid ||
	    moments->items[low]->number != number)
		return NULL;
	return moments->items[low];
}

/*
 * Finds the call that caused the snapshot. Its mark is the thread's last one
 * before this moment.
 */
static void find_call(struct listed_snapshot *one,
		      const struct mark_list *marks,
		      const struct mark_event *moment)
{
	const struct mark_event *event = moment;

	while (event != marks->events && event[-1].pid == moment->pid &&
	       event[-1].tid != moment->tid)
		event--;
	if (event-- == marks->events || event->pid != moment->pid ||
	    event->number != moment->number ||
	    !is_named(marks, event, WIRE_MARK_SNAPSHOT_CALL))
		return;
	one->is_of_call = 1;
	one->function = event->function;
	if (event->kind == WIRE_MARK_END && event->other)
		one->call_ns = event->time_ns -
			       marks->events[event->other - 1].time_ns;
}

/* ---- The folders ---- */

static int is_snapshot(const struct dirent *entry)
{
	return wire_snapshot_number(entry->d_name) != 0;
}

/* The parts of a recording, sorted by their names without the suffix. */
struct sorted_parts {
	const struct part_copy **items;
	size_t count;
};

static int by_name(const void *left, const void *right)
{
	const struct part_copy *a = *(const struct part_copy *const *)left;
	const struct part_copy *b = *(const struct part_copy *const *)right;

	return strcmp(a->name, b->name);
}

static struct sorted_parts parts_of(const struct recording *recording)
{
	struct sorted_parts parts = {
		.items = memory_zeroed(recording->part_count + 1,
				       sizeof(struct part_copy *)),
		.count = recording->part_count,
	};

	for (size_t i = 0; i < parts.count; i++)
		parts.items[i] = &recording->parts[i];
	qsort(parts.items, parts.count, sizeof(struct part_copy *), by_name);
	return parts;
}

/* Returns the part beside the snapshot; NULL: none. */
static const struct part_copy *part_beside(const struct sorted_parts *parts,
					   const char *folder, size_t length)
{
	char *name =
		memory_printf("%.*s" WIRE_PART_SUFFIX, (int)length, folder);
	const struct part_copy wanted = { .name = name };
	const struct part_copy *const key = &wanted;
	const struct part_copy **found =
		bsearch(&key, parts->items, parts->count,
			sizeof(struct part_copy *), by_name);

	free(name);
	return found ? *found : NULL;
}

static int has_trace(const char *path, const char *folder, size_t length)
{
	char *trace = memory_printf("%s/%s/%.*s" WIRE_TRACE_SUFFIX, path,
				    folder, (int)length, folder);
	const int is_there = access(trace, R_OK) == 0;

	free(trace);
	return is_there;
}

/* Adds a folder that is beside `part`, with the call that caused it. */
static void add(struct snapshot_list *list, const struct mark_list *marks,
		const struct moments *moments, const struct part_copy *part,
		const struct listed_snapshot *found)
{
	struct listed_snapshot *one;
	const struct mark_event *moment;

	list->items = memory_grow(list->items, list->count, &list->capacity,
				  sizeof(*list->items));
	one = &list->items[list->count++];
	*one = *found;
	one->pid = part->header->pid;
	one->function = FUNCTION_NONE;
	moment = find_moment(moments, one->pid, one->number,
			     part->header->start_ns);
	if (!moment)
		return;
	one->tid = moment->tid;
	one->function = moment->function;
	one->time_ns = moment->time_ns;
	find_call(one, marks, moment);
}

/* Returns snapshot_list.place. */
static char *only_place(const struct probe_list *probes)
{
	const char *place = NULL, *end;

	for (size_t i = 0; i < probes->count; i++) {
		if (!listed_probe_has_action(&probes->items[i], "snapshot"))
			continue;
		if (place)
			return NULL;
		place = probes->items[i].text;
	}
	end = place ? strstr(place, "%return") : NULL;
	return place ? memory_string(place, end ? (size_t)(end - place)
						: strlen(place))
		     : NULL;
}

static int slowest_first(const void *left, const void *right)
{
	const struct listed_snapshot *a = left, *b = right;

	if (a->call_ns != b->call_ns)
		return a->call_ns > b->call_ns ? -1 : 1;
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return strverscmp(a->folder, b->folder);
}

void snapshot_list_init(struct snapshot_list *list,
			const struct session *session, const char *path)
{
	const struct mark_list *marks = &session->marks;
	struct sorted_parts parts = { 0 };
	struct moments moments = { 0 };
	struct dirent **folders = NULL;
	const int count = scandir(path, &folders, is_snapshot, versionsort);

	*list = (struct snapshot_list){ 0 };
	if (count > 0) {
		list->place = only_place(&session->probes);
		parts = parts_of(&session->recording);
		moments = moments_of(marks);
	}
	for (int i = 0; i < count; i++) {
		const char *folder = folders[i]->d_name;
		const size_t length = (size_t)(strrchr(folder, '.') - folder);
		const struct part_copy *part =
			part_beside(&parts, folder, length);

		if (part)
			add(list, marks, &moments, part,
			    &(struct listed_snapshot){
				    .folder = memory_string(folder,
							    strlen(folder)),
				    .number = wire_snapshot_number(folder),
				    .has_trace =
					    has_trace(path, folder, length),
			    });
		free(folders[i]);
	}
	free(folders);
	free(moments.items);
	free(parts.items);
	for (size_t i = 0; i < marks->count; i++)
		if (strcmp(marks->sums[i].name, WIRE_MARK_SNAPSHOT_REMOVED) ==
		    0)
			list->removed = marks->sums[i].moments;
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items),
		      slowest_first);
}

void snapshot_list_fini(struct snapshot_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].folder);
	free(list->items);
	free(list->place);
}

/* ---- Texts ---- */

char *snapshot_call_name(const struct snapshot_list *list,
			 const struct listed_snapshot *one,
			 struct session *session)
{
	if (!one->is_of_call)
		return NULL;
	if (one->function != FUNCTION_NONE)
		return catalog_short_name(&session->catalog, one->function,
					  A2N_SHORTEST);
	return list->place ? memory_printf("%s", list->place) : NULL;
}

char *snapshot_call_text(const struct snapshot_list *list,
			 const struct listed_snapshot *one,
			 struct session *session)
{
	char *name = snapshot_call_name(list, one, session), *text;

	if (!name)
		return memory_string("", 0);
	text = memory_printf("%s%s%s", name, one->call_ns ? ", " : "",
			     one->call_ns ? text_duration(one->call_ns).text
					  : "");
	free(name);
	return text;
}

char *snapshot_list_command(const struct snapshot_list *list,
			    struct session *session, const char *path)
{
	const struct listed_snapshot *first = &list->items[0];
	char *where =
		text_shell_word(memory_printf("%s/%s", path, first->folder));
	char *name = snapshot_call_name(list, first, session), *command;

	if (!first->has_trace) {
		command = memory_printf("clew report %s", where);
	} else if (!name) {
		command = memory_printf("clew trace --latencies %s", where);
	} else {
		name = text_shell_word(name);
		command = memory_printf("clew trace --slowest %s %s", name,
					where);
	}
	free(name);
	free(where);
	return command;
}
