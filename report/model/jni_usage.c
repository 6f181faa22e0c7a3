/* SPDX-License-Identifier: MIT */
/* See jni_usage.h. */
#include "report/model/jni_usage.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void jni_usage_add(struct jni_usage *notes, const struct jni_note *note)
{
	struct jni_note *added;

	notes->items = memory_grow(notes->items, notes->count, &notes->capacity,
				   sizeof(*notes->items));
	added = &notes->items[notes->count++];
	*added = *note;
	if (note->name)
		added->name = memory_string(note->name, strlen(note->name));
}

static int compare_numbers(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

int jni_call_compare(const struct jni_call *a, const struct jni_call *b)
{
	int order = compare_numbers(a->function, b->function);

	if (order == 0)
		order = compare_numbers(a->caller, b->caller);
	if (order == 0)
		order = compare_numbers(a->native, b->native);
	return order ? order : compare_numbers(a->java, b->java);
}

static int compare(const void *left, const void *right)
{
	const struct jni_note *a = left, *b = right;
	int order = compare_numbers(a->what, b->what);

	if (order == 0)
		order = jni_call_compare(&a->call, &b->call);
	return order ? order
		     : strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

static void add_to(struct jni_note *sum, const struct jni_note *more)
{
	sum->count += more->count;
	sum->amount += more->amount;
	if (more->most > sum->most)
		sum->most = more->most;
	free(more->name);
}

void jni_usage_finish(struct jni_usage *notes)
{
	size_t kept = 0;

	if (notes->count == 0)
		return;
	qsort(notes->items, notes->count, sizeof(*notes->items), compare);
	for (size_t i = 1; i < notes->count; i++) {
		struct jni_note *last = &notes->items[kept];

		if (compare(last, &notes->items[i]) == 0)
			add_to(last, &notes->items[i]);
		else
			notes->items[++kept] = notes->items[i];
	}
	notes->count = kept + 1;
}

void jni_usage_fini(struct jni_usage *notes)
{
	for (size_t i = 0; i < notes->count; i++)
		free(notes->items[i].name);
	free(notes->items);
	*notes = (struct jni_usage){ 0 };
}

const char *jni_event_text(enum wire_jni_event what)
{
	static const char *const texts[WIRE_JNI_EVENT_COUNT] = {
		[WIRE_JNI_LOOKUP] = "lookup",     [WIRE_JNI_COPY] = "copy",
		[WIRE_JNI_CRITICAL] = "critical", [WIRE_JNI_LOCALS] = "locals",
		[WIRE_JNI_GLOBALS] = "globals",
	};

	return what < WIRE_JNI_EVENT_COUNT ? texts[what] : "unknown";
}
