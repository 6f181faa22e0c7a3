/* SPDX-License-Identifier: MIT */
/* See names_reader.h. */
#include "report/recording/names_reader.h"

/* The bounds of the records in a chunk. */
struct bounds {
	uint32_t chunk;
	/* least and greatest size of a record without its padding */
	size_t least_bytes, most_bytes;
};

static const struct bounds *bounds_of(uint32_t chunk)
{
	static const struct bounds all[] = {
#define BOUNDS(kind, record, most)                                             \
	{ WIRE_##kind, sizeof(struct wire_##record),                           \
	  sizeof(struct wire_##record) + (most) },
		WIRE_NUMBER_RECORDS(BOUNDS)
#undef BOUNDS
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].chunk == chunk)
			return &all[i];
	return NULL;
}

/*
 * Returns the next record of a chunk of this kind, and sets the number of bytes
 * that follow its structure. Returns NULL at the end.
 */
static const void *next(const struct part_chunk *chunk, uint32_t kind,
			size_t *cursor, size_t *rest)
{
	const struct wire_numbered *head =
		(const void *)(chunk->payload + *cursor);
	const struct bounds *bounds =
		chunk->kind == kind ? bounds_of(kind) : NULL;
	const size_t left = chunk->used_bytes - *cursor;
	size_t padded;

	if (!bounds || left < bounds->least_bytes ||
	    head->bytes < bounds->least_bytes ||
	    head->bytes > bounds->most_bytes)
		return NULL;
	padded = ((size_t)head->bytes + 7) & ~(size_t)7;
	if (padded > left)
		return NULL;
	*cursor += padded;
	*rest = head->bytes - bounds->least_bytes;
	return head;
}

int names_next(const struct part_chunk *chunk, size_t *cursor,
	       struct recorded_name *out)
{
	size_t rest;
	const struct wire_name *name = next(chunk, WIRE_NAMES, cursor, &rest);

	if (!name)
		return 0;
	*out = (struct recorded_name){
		.number = name->head.number,
		.text = (const char *)(name + 1),
		.text_bytes = rest,
	};
	return 1;
}

/* Returns a text of this size at *at, and advances *at. NULL without a NUL. */
static const char *take_text(const char **at, size_t bytes)
{
	const char *text = *at;

	*at += bytes;
	if (bytes == 0)
		return "";
	return text[bytes - 1] == '\0' ? text : NULL;
}

ptrdiff_t recorded_texts_of(const struct wire_method_texts *texts,
			    const char *bytes, size_t count,
			    struct recorded_texts *out)
{
	const char *at = bytes;
	struct recorded_texts found;

	if ((size_t)texts->class_bytes + texts->name_bytes +
		    texts->signature_bytes >
	    count)
		return -1;
	found.class_name = take_text(&at, texts->class_bytes);
	found.name = take_text(&at, texts->name_bytes);
	found.signature = take_text(&at, texts->signature_bytes);
	if (!found.class_name || !found.name || !found.signature)
		return -1;
	*out = found;
	return at - bytes;
}

int methods_next(const struct part_chunk *chunk, size_t *cursor,
		 struct recorded_method *out)
{
	size_t rest;
	const struct wire_method *method =
		next(chunk, WIRE_METHODS, cursor, &rest);

	if (!method ||
	    recorded_texts_of(&method->texts, (const char *)(method + 1), rest,
			      &out->texts) < 0)
		return 0;
	out->number = method->head.number;
	out->left = method->left;
	return 1;
}

int stacks_next(const struct part_chunk *chunk, size_t *cursor,
		struct recorded_stack *out)
{
	size_t rest;
	const struct wire_stack *stack =
		next(chunk, WIRE_STACKS, cursor, &rest);
	const uint32_t *numbers;

	if (!stack || stack->count == 0 ||
	    stack->count > rest / WIRE_STACK_METHOD_BYTES)
		return 0;
	numbers = (const void *)(stack + 1);
	*out = (struct recorded_stack){
		.number = stack->head.number,
		.count = stack->count,
		.numbers = numbers,
		.bytecodes = (const void *)(numbers + stack->count),
	};
	return 1;
}

int sources_next(const struct part_chunk *chunk, size_t *cursor,
		 struct recorded_source *out)
{
	size_t rest;
	const struct wire_source *source =
		next(chunk, WIRE_SOURCES, cursor, &rest);
	const struct wire_line *lines;
	const char *path;

	if (!source || source->lines > rest / sizeof(*lines))
		return 0;
	lines = (const void *)(source + 1);
	path = (const char *)(lines + source->lines);
	rest -= source->lines * sizeof(*lines);
	if (source->path_bytes == 0 || source->path_bytes > rest ||
	    path[source->path_bytes - 1] != '\0')
		return 0;
	*out = (struct recorded_source){
		.number = source->head.number,
		.path = path,
		.lines = lines,
		.line_count = source->lines,
	};
	return 1;
}

const struct wire_caller *callers_next(const struct part_chunk *chunk,
				       size_t *cursor)
{
	size_t rest;

	return next(chunk, WIRE_CALLERS, cursor, &rest);
}
