/* SPDX-License-Identifier: MIT */
/* See function_names.h. */
#include "preload/record/function_names.h"

#include "preload/hot/runtime.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/sys.h"

#define RANGE_NUMBERS NUMBER_BLOCK
#define CHUNK_BYTES   (64 << 10)
#define SPARE_BYTES   4096

/* ---- Ranges ---- */

static struct number_range *new_range(struct function_names *names)
{
	if (!names->spare_count) {
		struct number_range *more = sys_map_private(SPARE_BYTES);

		if (sys_failed(more))
			return NULL;
		names->spare = more;
		names->spare_count = SPARE_BYTES / sizeof(*more);
	}
	return &names->spare[--names->spare_count];
}

/*
 * Maps the array of the innermost methods of a range. Returns NULL if there is
 * no memory; the innermost methods are then not recorded.
 */
static uint32_t *new_innermost(void)
{
	uint32_t *innermost =
		sys_map_private(RANGE_NUMBERS * sizeof(*innermost));

	return sys_failed(innermost) ? NULL : innermost;
}

/*
 * Notes the innermost method of a Java stack. The stack's name consists of the
 * numbers of its methods, the innermost last.
 */
static void note_innermost(struct number_range *range, const char *name,
			   size_t bytes)
{
	if (range->innermost && bytes >= sizeof(*range->innermost))
		copy_bytes(&range->innermost[range->used],
			   name + bytes - sizeof(*range->innermost),
			   sizeof(*range->innermost));
}

static int record_range(struct part *part, const struct number_range *range)
{
	struct wire_range *record;
	struct chunk chunk;
	int err = part_alloc(part, WIRE_RANGES, 0, sizeof(*record), &chunk);

	if (err)
		return err;
	record = chunk_payload(&chunk);
	record->first = range->first;
	record->count = range->count;
	record->kind = range->kind;
	atomic_store_explicit(&chunk.head->used, sizeof(*record),
			      memory_order_release);
	return 0;
}

/* Returns a range of this kind with an unused number, or NULL. */
static struct number_range *range_with_room(struct function_names *names,
					    struct part *part,
					    enum wire_range_kind kind)
{
	struct number_range *range = names->filled[kind];

	if (range && range->used < range->count)
		return range;
	range = new_range(names);
	if (!range)
		return NULL;
	range->count = RANGE_NUMBERS;
	range->kind = kind;
	if (kind == WIRE_RANGE_JAVA_STACK)
		range->innermost = new_innermost();
	if (numbers_take(range, 0) || record_range(part, range))
		return NULL;
	names->filled[kind] = range;
	return range;
}

/* ---- Names ---- */

static uint64_t bytes_of(size_t name_bytes)
{
	return sizeof(struct wire_name) +
	       ((name_bytes + UINT64_C(7)) & ~UINT64_C(7));
}

static const enum wire_chunk_kind chunk_kinds[NAMES_COUNT] = {
	[NAMES_TEXT] = WIRE_NAMES,
	[NAMES_SOURCE] = WIRE_SOURCES,
	[NAMES_CALLS] = WIRE_CALL_PLACES,
};

static int put_record(struct function_names *names, struct part *part,
		      enum names_about about, uint32_t number, const void *text,
		      size_t text_bytes)
{
	struct record_stream *stream = &names->records[about];
	const uint64_t bytes = bytes_of(text_bytes);
	struct wire_name *record;
	void *at;
	int err;

	stream->kind = chunk_kinds[about];
	stream->chunk_bytes = CHUNK_BYTES;
	err = record_stream_room(stream, part, bytes, &at);
	if (err)
		return err;
	record = at;
	record->number = number;
	record->bytes = (uint32_t)text_bytes;
	copy_bytes(record + 1, text, text_bytes);
	record_stream_add(stream, bytes);
	return 0;
}

uint32_t function_names_add(struct function_names *names, struct part *part,
			    enum wire_range_kind kind, const char *name,
			    size_t bytes)
{
	struct number_range *range;
	uint32_t number = 0;
	uint64_t signals;

	if (runtime_is_filtered())
		return 0;
	if (bytes > WIRE_NAME_BYTES_MAX)
		bytes = WIRE_NAME_BYTES_MAX;
	lock_acquire(&names->lock, &signals);
	range = range_with_room(names, part, kind);
	if (range && !put_record(names, part, NAMES_TEXT,
				 range->first + range->used, name, bytes)) {
		note_innermost(range, name, bytes);
		number = range->first + atomic_fetch_add(&range->used, 1);
	}
	lock_release(&names->lock, &signals);
	return number;
}

void function_names_tell(struct function_names *names, struct part *part,
			 enum names_about about, uint32_t number,
			 const void *bytes, size_t count)
{
	uint64_t signals;

	if (runtime_is_filtered() || count > WIRE_SOURCE_BYTES_MAX)
		return;
	lock_acquire(&names->lock, &signals);
	put_record(names, part, about, number, bytes, count);
	lock_release(&names->lock, &signals);
}

uint32_t function_names_next(struct function_names *names, struct part *part,
			     enum wire_range_kind kind, uint32_t *left)
{
	struct number_range *range;
	uint32_t number = 0;
	uint64_t signals;

	if (runtime_is_filtered())
		return 0;
	lock_acquire(&names->lock, &signals);
	range = range_with_room(names, part, kind);
	if (range) {
		number = range->first + range->used;
		*left = range->count - range->used;
	}
	lock_release(&names->lock, &signals);
	return number;
}

/* ---- In a forked child ---- */

struct heirs {
	struct function_names *names;
	struct part *to;
	enum names_about about;
};

static int inherit_ranges(void *context, const struct chunk *chunk)
{
	const struct heirs *heirs = context;
	const struct wire_range *record = chunk_payload(chunk);
	const struct number_range *range;

	if (chunk->head->used < sizeof(*record))
		return 0;
	/*
	 * Unlike numbers_find(), the table also leads to ranges without used
	 * numbers.
	 */
	range = atomic_load(&number_blocks[record->first >> NUMBER_BLOCK_LOG2]);
	return range && range->first == record->first
		       ? record_range(heirs->to, range)
		       : 0;
}

static int inherit_names(void *context, const struct chunk *chunk)
{
	const struct heirs *heirs = context;
	const unsigned char *at = chunk_payload(chunk);
	const unsigned char *end =
		at +
		atomic_load_explicit(&chunk->head->used, memory_order_acquire);

	while (at < end) {
		const struct wire_name *told = (const void *)at;
		int err = 0;

		if (told->bytes > WIRE_SOURCE_BYTES_MAX)
			return -EBADMSG; /* not written by clew */
		if (numbers_find(told->number))
			err = put_record(heirs->names, heirs->to, heirs->about,
					 told->number, told + 1, told->bytes);
		if (err)
			return err;
		at += bytes_of(told->bytes);
	}
	return 0;
}

int function_names_after_fork(struct function_names *names, struct part *to,
			      const struct part *from)
{
	struct heirs heirs = { .names = names, .to = to };
	int err = part_each_chunk(from, WIRE_RANGES, inherit_ranges, &heirs);

	lock_forget(&names->lock);
	for (int i = 0; i < NAMES_COUNT; i++)
		record_stream_forget(&names->records[i]);
	for (int i = 0; i < NAMES_COUNT && !err; i++) {
		heirs.about = (enum names_about)i;
		err = part_each_chunk(from, chunk_kinds[i], inherit_names,
				      &heirs);
	}
	return err;
}
