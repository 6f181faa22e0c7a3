/* SPDX-License-Identifier: MIT */
/* See bindings_reader.h. */
#include "report/recording/bindings_reader.h"

/*
 * Reads the texts after a record of this size. Returns 0 if they exceed the
 * chunk or their maximum size, or have no NUL.
 */
static int read_texts(const struct part_chunk *chunk, size_t *cursor,
		      size_t record_bytes,
		      const struct wire_method_texts *texts,
		      struct recorded_texts *out)
{
	const size_t left = chunk->used_bytes - *cursor - record_bytes;
	const char *at = (const char *)chunk->payload + *cursor + record_bytes;
	const ptrdiff_t bytes = recorded_texts_of(texts, at, left, out);
	size_t padded;

	if (bytes < 0 || bytes > WIRE_METHOD_BYTES_MAX)
		return 0;
	padded = ((size_t)bytes + 7) & ~(size_t)7;
	if (padded > left)
		return 0;
	*cursor += record_bytes + padded;
	return 1;
}

int bindings_next(const struct part_chunk *chunk, size_t *cursor,
		  struct recorded_binding *out)
{
	const struct wire_binding *binding =
		(const void *)(chunk->payload + *cursor);

	if (chunk->used_bytes - *cursor < sizeof(*binding) ||
	    !read_texts(chunk, cursor, sizeof(*binding), &binding->texts,
			&out->method))
		return 0;
	out->pc = binding->pc;
	out->bound_ns = binding->bound_ns;
	out->is_intrinsic = binding->number == WIRE_INTRINSIC;
	out->number = out->is_intrinsic ? 0 : binding->number;
	return 1;
}

int codes_next(const struct part_chunk *chunk, size_t *cursor,
	       struct recorded_code *out)
{
	const struct wire_code *code = (const void *)(chunk->payload + *cursor);

	if (chunk->used_bytes - *cursor < sizeof(*code) ||
	    !read_texts(chunk, cursor, sizeof(*code), &code->texts,
			&out->texts))
		return 0;
	out->start = code->start;
	out->tsc = code->tsc;
	out->code_bytes = code->code_bytes;
	out->kind = code->kind;
	out->object = code->object;
	return 1;
}
