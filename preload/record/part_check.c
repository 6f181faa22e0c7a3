/* SPDX-License-Identifier: MIT */
/* See part_check.h. */
#include "preload/record/part_check.h"

#include "preload/record/inheritance.h"
#include "preload/record/numbers.h"

#define WORDS_OF_PAYLOAD(chunk)                                                \
	(((chunk)->bytes - sizeof(struct wire_chunk)) / sizeof(uint64_t))

/* The state of a walk. */
struct walk_of_part {
	const struct part *part;
	uint32_t unused;  /* number of chunks in part->unused */
	uint32_t modules; /* modules that have functions */
};

static int reads_as_zeros(const struct chunk *chunk)
{
	const uint64_t *words = chunk_payload(chunk);

	for (uint64_t i = 0; i < WORDS_OF_PAYLOAD(chunk); i++)
		if (words[i])
			return 0;
	return 1;
}

static int is_unused(const struct part *part, const struct chunk *chunk)
{
	for (uint32_t i = 0; i < part->unused_count; i++)
		if (part->unused[i].head == chunk->head &&
		    part->unused[i].offset == chunk->offset &&
		    part->unused[i].bytes == chunk->bytes)
			return 1;
	return 0;
}

static enum violation check_module(struct walk_of_part *walk,
				   const struct chunk *chunk)
{
	const struct wire_module *module = chunk_payload(chunk);
	const uint64_t path = (module->path_bytes + UINT64_C(7)) & ~UINT64_C(7);
	const uint64_t functions =
		module->function_count * sizeof(struct wire_function);
	const struct number_range *range = numbers_find(module->first_function);

	if (!chunk->head->used)
		return VIOLATION_IS_NONE; /* a thread is filling it */
	if (sizeof(*module) + path + functions != chunk->head->used ||
	    module->build_id_bytes > sizeof(module->build_id))
		return VIOLATION_IS_MODULE_BYTES;
	if (!module->function_count)
		return VIOLATION_IS_NONE;
	walk->modules++;
	return range && range->first == module->first_function &&
			       range->count == module->function_count
		       ? VIOLATION_IS_NONE
		       : VIOLATION_IS_MODULE_NUMBERS;
}

/* Called for each chunk. Returns an enum violation. */
static int check_chunk(void *context, const struct chunk *chunk)
{
	struct walk_of_part *walk = context;
	const struct wire_chunk *head = chunk->head;
	const int is_free = head->kind == WIRE_FREE;

	if (head->kind >= WIRE_CHUNK_KIND_COUNT)
		return VIOLATION_IS_CHUNK_KIND;
	if (head->used > chunk->bytes - sizeof(*head))
		return VIOLATION_IS_CHUNK_USED;
	if (is_unused(walk->part, chunk))
		walk->unused++;
	else if (!is_free)
		return head->kind == WIRE_MODULE ? check_module(walk, chunk)
						 : VIOLATION_IS_NONE;
	return is_free && reads_as_zeros(chunk) ? VIOLATION_IS_NONE
						: VIOLATION_IS_CHUNK_FREE;
}

/* Returns whether each segment ends where the next one begins. */
static int is_without_gaps(const struct part *part)
{
	const uint32_t count = part->file.segment_count;
	uint64_t at = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct segment *segment = &part->file.segments[i];

		if (segment->offset != at)
			return 0;
		at += segment->bytes;
	}
	return at >= part->end && part->header->end == part->end;
}

static enum violation check_chunks(struct walk_of_part *walk)
{
	const struct part *part = walk->part;
	int found;

	if (!is_without_gaps(part))
		return VIOLATION_IS_CHUNKS_END;
	found = part_each_chunk(part, PART_EVERY_KIND, check_chunk, walk);
	if (found == -EBADMSG)
		return VIOLATION_IS_CHUNK_BYTES;
	if (found)
		return (enum violation)found;
	return walk->unused == part->unused_count ? VIOLATION_IS_NONE
						  : VIOLATION_IS_CHUNK_FREE;
}

/*
 * Called for each module's chunk. Returns whether the module's range of numbers
 * is the same as another module's. Ranges never overlap partially.
 */
static int shares_numbers(void *context, const struct chunk *chunk)
{
	const struct wire_module *one = context;
	const struct wire_module *other = chunk_payload(chunk);

	return one != other && one->function_count && other->function_count &&
	       one->first_function == other->first_function;
}

static int shares_numbers_with_any(void *context, const struct chunk *chunk)
{
	return part_each_chunk(context, WIRE_MODULE, shares_numbers,
			       chunk_payload(chunk));
}

static int count_inherited(void *context, const struct chunk *chunk)
{
	const struct wire_module *module = chunk_payload(chunk);
	struct walk_of_part *walk = context;

	walk->modules += module->function_count != 0;
	return 0;
}

enum violation part_check(struct part *part)
{
	struct walk_of_part walk = { .part = part };
	enum violation found;
	uint64_t signals;

	if (!part->file.segment_count)
		return VIOLATION_IS_NONE; /* part_create_nowhere() */
	lock_acquire(&part->lock, &signals);
	found = check_chunks(&walk);
	if (!found &&
	    part_each_chunk(part, WIRE_MODULE, shares_numbers_with_any, part))
		found = VIOLATION_IS_MODULE_NUMBERS;
	inheritance_each_chunk(part, WIRE_MODULE, count_inherited, &walk);
	if (!found && walk.modules != numbers_modules())
		found = VIOLATION_IS_MODULES_MISSING;
	lock_release(&part->lock, &signals);
	return found;
}
