/* SPDX-License-Identifier: MIT */
/* See part_jni.h. */
#include "report/merge/part_jni.h"

#include <stdlib.h>

#include "base/memory.h"
#include "report/recording/names_reader.h"
#include "wire/id.h"

/*
 * Maximum number of callers that are searched: in a damaged recording callers
 * may form a circle.
 */
enum { CALLERS_MAX = 1 << 16 };

/* The state while one part is read. */
struct jni_work {
	struct jni_usage *notes;
	const struct contexts *contexts;
	/* maps the number of a name to its index in `texts` */
	struct idmap names;
	struct recorded_name *texts;
	size_t text_count, text_capacity;
};

static const struct context *caller_of(const struct jni_work *work,
				       const struct context *context)
{
	const uint64_t id = id_pop(context->id, id_key(context->function));

	return id == ID_ROOT ? NULL : contexts_find(work->contexts, id);
}

static uint32_t function_of(const struct jni_work *work,
			    const struct context *context)
{
	return context ? numbering_function(work->contexts->numbering,
					    context->function)
		       : FUNCTION_NONE;
}

static struct jni_call call_of(const struct jni_work *work,
			       const struct context *context)
{
	struct catalog *catalog = work->contexts->catalog;
	const struct context *at = caller_of(work, context);
	struct jni_call call = { .function = function_of(work, context),
				 .caller = function_of(work, at) };

	for (int i = 0; at && i < CALLERS_MAX; i++) {
		const uint32_t function = function_of(work, at);

		at = caller_of(work, at);
		if (catalog_kind(catalog, function) != KIND_JNI)
			continue;
		call.native = function;
		call.java = function_of(work, at);
		if (catalog_kind(catalog, call.java) != KIND_JAVA)
			call.java = FUNCTION_NONE;
		break;
	}
	return call;
}

static void add_names(struct jni_work *work, const struct part_chunk *chunk)
{
	struct recorded_name name;
	size_t cursor = 0;

	while (names_next(chunk, &cursor, &name)) {
		*idmap_at(&work->names, name.number) = work->text_count;
		work->texts =
			memory_grow(work->texts, work->text_count,
				    &work->text_capacity, sizeof(*work->texts));
		work->texts[work->text_count++] = name;
	}
}

/*
 * Returns the name with this number, or "(other names)" if the number is 0 or
 * unknown. The caller frees it.
 */
static char *name_of(const struct jni_work *work, uint32_t number)
{
	const uint64_t *index = idmap_find(&work->names, number);

	return index && work->texts
		       ? memory_string(work->texts[*index].text,
				       work->texts[*index].text_bytes)
		       : memory_printf("(other names)");
}

static void add_notes(struct jni_work *work, const struct part_chunk *chunk)
{
	const struct wire_jni_note *items = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->used_bytes / sizeof(*items); i++) {
		const struct context *context =
			items[i].id ? contexts_find(work->contexts, items[i].id)
				    : NULL;
		struct jni_note note;

		if (!context || items[i].what >= WIRE_JNI_EVENT_COUNT)
			continue;
		note = (struct jni_note){
			.call = call_of(work, context),
			.what = items[i].what,
			.count = items[i].count,
			.amount = items[i].amount,
			.most = items[i].most,
		};
		if (note.what == WIRE_JNI_LOOKUP)
			note.name = name_of(work, items[i].name);
		jni_usage_add(work->notes, &note);
		free(note.name);
	}
}

static int has_notes(const struct part_copy *part)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	while (part_next_chunk(part, &cursor, &chunk))
		if (chunk.kind == WIRE_JNI_NOTES)
			return 1;
	return 0;
}

void part_jni_add(struct jni_usage *notes, const struct part_copy *part,
		  const struct contexts *contexts)
{
	struct jni_work work = { .notes = notes, .contexts = contexts };
	struct part_chunk chunk;
	uint64_t cursor = 0;

	if (!has_notes(part))
		return;
	while (part_next_chunk(part, &cursor, &chunk))
		if (chunk.kind == WIRE_NAMES)
			add_names(&work, &chunk);
	cursor = 0;
	while (part_next_chunk(part, &cursor, &chunk))
		if (chunk.kind == WIRE_JNI_NOTES)
			add_notes(&work, &chunk);
	idmap_fini(&work.names);
	free(work.texts);
}
