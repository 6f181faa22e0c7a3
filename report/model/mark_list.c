/* SPDX-License-Identifier: MIT */
/* See mark_list.h. */
#include "report/model/mark_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"

/*
 * Limits of two searches: the newest beginnings to which an end may belong, and
 * the enclosing regions that may have the same name.
 */
#define LOOKED_THROUGH 256

void mark_list_fini(struct mark_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->sums[i].name);
		free(list->sums[i].lengths);
	}
	for (size_t i = 0; i < list->value_count; i++)
		free(list->values[i].string);
	for (size_t i = 0; i < list->value_name_count; i++)
		free(list->value_names[i]);
	free(list->value_names);
	free(list->values);
	free(list->sums);
	free(list->events);
	*list = (struct mark_list){ 0 };
}

uint32_t mark_list_name(struct mark_list *list, const char *name)
{
	char *text = text_printable(memory_string(name, strlen(name)));

	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->sums[i].name, text) != 0)
			continue;
		free(text);
		return (uint32_t)i;
	}
	list->sums = memory_grow(list->sums, list->count, &list->capacity,
				 sizeof(*list->sums));
	list->sums[list->count] = (struct mark_sum){ .name = text };
	return (uint32_t)list->count++;
}

void mark_list_add(struct mark_list *list, const struct mark_event *event)
{
	list->events =
		memory_grow(list->events, list->event_count,
			    &list->event_capacity, sizeof(*list->events));
	list->events[list->event_count++] = *event;
}

const char *mark_list_value_name(struct mark_list *list, const char *text,
				 size_t bytes)
{
	char *name = text_printable(memory_string(text, bytes));

	for (size_t i = 0; i < list->value_name_count; i++) {
		if (strcmp(list->value_names[i], name) != 0)
			continue;
		free(name);
		return list->value_names[i];
	}
	list->value_names = memory_grow(
		list->value_names, list->value_name_count,
		&list->value_name_capacity, sizeof(*list->value_names));
	list->value_names[list->value_name_count++] = name;
	return name;
}

void mark_list_add_value(struct mark_list *list, const struct mark_value *value)
{
	list->values =
		memory_grow(list->values, list->value_count,
			    &list->value_capacity, sizeof(*list->values));
	list->values[list->value_count++] = *value;
}

static int by_time_of(const void *left, const void *right)
{
	const struct mark_event *a = *(const struct mark_event *const *)left;
	const struct mark_event *b = *(const struct mark_event *const *)right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a < b ? -1 : a > b;
}

const struct mark_event **mark_list_by_time(const struct mark_list *list)
{
	const size_t each = sizeof(const struct mark_event *);
	const struct mark_event **events =
		memory_zeroed(list->event_count + 1, each);

	for (size_t i = 0; i < list->event_count; i++)
		events[i] = &list->events[i];
	qsort(events, list->event_count, each, by_time_of);
	return events;
}

/* ---- Pairs ---- */

/*
 * The beginning of a region. Links are 1 + the index of another beginning, or
 * 0.
 */
struct begun {
	/* link to the previous beginning with the same name and number */
	uint32_t before;
	/* link to the region of the same thread that surrounds this one */
	uint32_t outer;
	uint64_t inner_ns; /* time of the regions inside this one */
};

struct pairing {
	struct mark_list *list;
	size_t from;
	/*
	 * an element for each event from `from` on, used if it is a beginning
	 */
	struct begun *begun;
	struct idmap latest; /* maps a name and number to a link */
	/* maps a thread to a link to its innermost region */
	struct idmap inside;
};

static struct mark_event *event_at(const struct pairing *pairing, uint64_t link)
{
	return &pairing->list->events[pairing->from + link - 1];
}

static struct begun *begun_at(const struct pairing *pairing, uint64_t link)
{
	return &pairing->begun[link - 1];
}

static int is_open(const struct pairing *pairing, uint64_t link)
{
	return event_at(pairing, link)->other == 0;
}

static uint64_t *latest_of(struct pairing *pairing,
			   const struct mark_event *event)
{
	const uint64_t key =
		((uint64_t)event->name + 1) * UINT64_C(0x9e3779b97f4a7c15) ^
		event->number * UINT64_C(0xd6e8feb86659fd93);

	return idmap_at(&pairing->latest, key ? key : 1);
}

static void begin(struct pairing *pairing, uint64_t link)
{
	const struct mark_event *event = event_at(pairing, link);
	struct begun *begun = begun_at(pairing, link);
	uint64_t *latest = latest_of(pairing, event), *inside;

	begun->before = (uint32_t)*latest;
	*latest = link;
	inside = idmap_at(&pairing->inside, (uint64_t)event->tid + 1);
	begun->outer = (uint32_t)*inside;
	*inside = link;
}

/* Returns the beginning that belongs to an end, or 0. */
static uint64_t beginning_of(struct pairing *pairing,
			     const struct mark_event *end)
{
	uint64_t *latest = latest_of(pairing, end);
	uint64_t link, others = 0;

	while (*latest && !is_open(pairing, *latest))
		*latest = begun_at(pairing, *latest)->before;
	link = *latest;
	for (int i = 0; link && i < LOOKED_THROUGH; i++) {
		const struct mark_event *event = event_at(pairing, link);

		if (is_open(pairing, link) && event->name == end->name &&
		    event->number == end->number) {
			if (event->tid == end->tid)
				return link;
			if (!others)
				others = link;
		}
		link = begun_at(pairing, link)->before;
	}
	return others;
}

static uint64_t end_of(const struct pairing *pairing, uint64_t link)
{
	return pairing->list->events[event_at(pairing, link)->other - 1]
		.time_ns;
}

/*
 * Returns whether an ended region lies inside another of its name, among the
 * nearest LOOKED_THROUGH regions of its thread that surround it. Called after
 * the pairing of all events; some begins may have no end.
 */
static int is_in_its_like(const struct pairing *pairing, uint64_t link)
{
	const uint32_t name = event_at(pairing, link)->name;
	const uint64_t end_ns = end_of(pairing, link);

	for (int i = 0; i < LOOKED_THROUGH; i++) {
		link = begun_at(pairing, link)->outer;
		if (!link)
			return 0;
		if (event_at(pairing, link)->name == name &&
		    !is_open(pairing, link) && end_of(pairing, link) >= end_ns)
			return 1;
	}
	return 0;
}

static void add_length(struct mark_sum *sum, uint64_t ns)
{
	sum->lengths =
		memory_grow(sum->lengths, sum->length_count,
			    &sum->length_capacity, sizeof(*sum->lengths));
	sum->lengths[sum->length_count++] = ns;
}

static void end(struct pairing *pairing, uint64_t link)
{
	struct mark_event *end = event_at(pairing, link), *start;
	struct mark_sum *sum = &pairing->list->sums[end->name];
	const uint64_t first = beginning_of(pairing, end);
	uint64_t ns, *inside, outer;

	if (!first) {
		sum->ends++;
		return;
	}
	start = event_at(pairing, first);
	ns = end->time_ns > start->time_ns ? end->time_ns - start->time_ns : 0;
	sum->regions++;
	add_length(sum, ns);
	sum->self_ns += ns > begun_at(pairing, first)->inner_ns
				? ns - begun_at(pairing, first)->inner_ns
				: 0;
	start->other = (uint32_t)(pairing->from + link);
	end->other = (uint32_t)(pairing->from + first);
	outer = begun_at(pairing, first)->outer;
	if (outer && is_open(pairing, outer) && start->tid == end->tid)
		begun_at(pairing, outer)->inner_ns += ns;
	inside = idmap_at(&pairing->inside, (uint64_t)start->tid + 1);
	while (*inside && !is_open(pairing, *inside))
		*inside = begun_at(pairing, *inside)->outer;
}

static int by_time(const void *left, const void *right)
{
	const struct mark_event *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->other < b->other ? -1 : a->other > b->other;
}

/*
 * Sorts events by time. Events of the same time keep their order, which `other`
 * stores meanwhile.
 */
static void sort(struct mark_list *list, size_t from)
{
	for (size_t i = from; i < list->event_count; i++)
		list->events[i].other = (uint32_t)i;
	if (list->event_count - from > 1)
		qsort(&list->events[from], list->event_count - from,
		      sizeof(*list->events), by_time);
	for (size_t i = from; i < list->event_count; i++)
		list->events[i].other = 0;
}

void mark_list_pair(struct mark_list *list, size_t from)
{
	const size_t count = list->event_count - from;
	struct pairing pairing = { .list = list, .from = from };

	if (count == 0)
		return;
	sort(list, from);
	pairing.begun = memory_zeroed(count, sizeof(*pairing.begun));
	for (size_t link = 1; link <= count; link++) {
		const struct mark_event *event = event_at(&pairing, link);

		if (event->kind == WIRE_MARK_MOMENT)
			list->sums[event->name].moments++;
		else if (event->kind == WIRE_MARK_BEGIN)
			begin(&pairing, link);
		else
			end(&pairing, link);
	}
	for (size_t link = 1; link <= count; link++) {
		const struct mark_event *event = event_at(&pairing, link);

		if (event->kind != WIRE_MARK_BEGIN)
			continue;
		if (is_open(&pairing, link))
			list->sums[event->name].open++;
		else if (!is_in_its_like(&pairing, link))
			list->sums[event->name].total_ns +=
				end_of(&pairing, link) - event->time_ns;
	}
	free(pairing.begun);
	idmap_fini(&pairing.latest);
	idmap_fini(&pairing.inside);
}

static int by_length(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

/*
 * Returns the smallest duration that `percent` of the durations do not exceed.
 */
static uint64_t percentile(const struct mark_sum *sum, size_t percent)
{
	const size_t rank = (sum->length_count * percent + 99) / 100;

	return sum->lengths[rank ? rank - 1 : 0];
}

static size_t count_below(const struct mark_sum *sum, uint64_t ns)
{
	size_t low = 0, high = sum->length_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (sum->lengths[middle] < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t mark_sum_count(const struct mark_sum *sum, unsigned int bit)
{
	const uint64_t end = bit < 64 ? UINT64_C(1) << bit : UINT64_MAX;

	return count_below(sum, end) -
	       (bit ? count_below(sum, UINT64_C(1) << (bit - 1)) : 0);
}

void mark_list_finish(struct mark_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct mark_sum *sum = &list->sums[i];

		if (sum->length_count == 0)
			continue;
		qsort(sum->lengths, sum->length_count, sizeof(*sum->lengths),
		      by_length);
		sum->min_ns = sum->lengths[0];
		sum->median_ns = sum->lengths[(sum->length_count - 1) / 2];
		sum->p90_ns = percentile(sum, 90);
		sum->p99_ns = percentile(sum, 99);
		sum->max_ns = sum->lengths[sum->length_count - 1];
	}
}

const char *mark_loss_text(unsigned int loss)
{
	switch (loss) {
	case WIRE_MARK_NO_SPACE:
		return "the recording could not grow";
	case WIRE_MARK_TOO_MANY:
		return "more than clew stores per process";
	default:
		return "for an unknown reason";
	}
}
