/* SPDX-License-Identifier: MIT */
/* Looking up in a space. */
#include <string.h>

#include "symbolizer/space/space.h"

/* The last line at or before an offset, or NULL. */
static const struct space_line *line_at(const struct space_object *object,
					uint64_t offset)
{
	size_t low = 0, high = object->line_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (object->lines[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &object->lines[low - 1] : NULL;
}

static size_t code_frames(const struct space_object *object,
			  const struct piece *piece, uint64_t pc,
			  struct a2n_frame *frames, size_t room)
{
	const struct space_line *line = line_at(object, pc - piece->base);
	uint32_t length = (uint32_t)strlen(object->name);

	if (room == 0)
		return 1;
	frames[0] = (struct a2n_frame){
		.symbol = object->name,
		.name = object->name,
		.symbol_length = length,
		.name_length = length,
		.start = piece->base,
	};
	if (line) {
		frames[0].file = line->file;
		frames[0].file_length = (uint32_t)strlen(line->file);
		frames[0].line = line->line;
		frames[0].discriminator = line->discriminator;
	}
	return 1;
}

/* The module of a mapping, opened now if it was not; NULL where it cannot be. */
static const struct a2n_module *module_of(const struct a2n_space *space,
					  struct space_object *object)
{
	const struct a2n_module *module =
		atomic_load_explicit(&object->module, memory_order_acquire);
	int err;

	if (module ||
	    atomic_load_explicit(&object->error, memory_order_relaxed) != 0)
		return module;
	err = a2n_module_open(space->a2n, object->name, &object->build_id,
			      &module);
	if (err) {
		atomic_store_explicit(&object->error, err,
				      memory_order_relaxed);
		return NULL;
	}
	/* Pairs with the load above: a module is whole when it is seen. */
	atomic_store_explicit(&object->module, module, memory_order_release);
	return module;
}

static size_t file_frames(const struct a2n_space *space,
			  struct space_object *object,
			  const struct piece *piece, uint64_t pc,
			  struct a2n_place *place, struct a2n_frame *frames,
			  size_t room)
{
	uint64_t offset = pc - piece->base + object->file_offset;

	place->module = module_of(space, object);
	place->error =
		atomic_load_explicit(&object->error, memory_order_relaxed);
	if (!place->module ||
	    a2n_module_vaddr(place->module, offset, &place->vaddr) != 0)
		return 0;
	return a2n_module_lookup(place->module, place->vaddr, frames, room);
}

static const struct piece *find(const struct a2n_space *space, uint64_t pc,
				uint64_t time, const uint64_t *expected,
				size_t expected_count)
{
	for (size_t i = 0; i < expected_count; i++) {
		const struct piece *piece = NULL;

		if (expected[i] > 0 && expected[i] <= space->start_count)
			piece = timeline_find_object(
				&space->timeline, pc,
				(uint32_t)(expected[i] - 1));
		if (piece)
			return piece;
	}
	return timeline_find(&space->timeline, pc, time);
}

size_t a2n_space_lookup(const struct a2n_space *space, uint64_t pc,
			uint64_t time, const uint64_t *expected,
			size_t expected_count, struct a2n_place *place,
			struct a2n_frame *frames, size_t room)
{
	const struct piece *piece =
		find(space, pc, time, expected, expected_count);
	struct a2n_place spare;
	struct space_object *object;

	if (!place)
		place = &spare;
	*place = (struct a2n_place){ 0 };
	if (!piece)
		return 0;
	object = space->objects[piece->object];
	*place = (struct a2n_place){
		.start = piece->start,
		.end = piece->end,
		.from = piece->from,
		.to = piece->to,
		.code = object->is_code ? (uint64_t)piece->object + 1 : 0,
	};
	return object->is_code ? code_frames(object, piece, pc, frames, room)
			       : file_frames(space, object, piece, pc, place,
					     frames, room);
}
