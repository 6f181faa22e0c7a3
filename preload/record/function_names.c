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
 * Maps the array of the innermost methods of a range of Java stacks. Returns
 * NULL if there is no memory; the innermost methods are then unknown.
 */
static uint32_t *new_innermost(void)
{
	uint32_t *innermost =
		sys_map_private(RANGE_NUMBERS * sizeof(*innermost));

	return sys_failed(innermost) ? NULL : innermost;
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

/*
 * Returns a range of numbers of this kind in which a number is unused, or NULL.
 */
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

/* ---- Records ---- */

static const struct {
	enum wire_chunk_kind chunk;
	uint32_t most_bytes; /* maximum size of a record, without the padding */
} abouts[NAMES_ABOUT_COUNT] = {
#define ABOUT(kind, record, most)                                              \
	{ WIRE_##kind, sizeof(struct wire_##record) + (most) },
	WIRE_NUMBER_RECORDS(ABOUT)
#undef ABOUT
};

static uint64_t padded(uint64_t bytes)
{
	return (bytes + 7) & ~UINT64_C(7);
}

/* A record to write: a struct, and bytes that follow it. */
struct new_record {
	enum names_about about;
	const void *head;
	size_t head_bytes;
	const struct name_text *rest;
	size_t rest_count;
};

static uint64_t bytes_of(const struct new_record *record)
{
	uint64_t bytes = record->head_bytes;

	for (size_t i = 0; i < record->rest_count; i++)
		bytes += record->rest[i].bytes;
	return bytes;
}

/* Called with the lock held. Returns 0 or -errno. */
static int put_record(struct function_names *names, struct part *part,
		      const struct new_record *record)
{
	struct record_stream *stream = &names->records[record->about];
	const uint64_t bytes = bytes_of(record);
	unsigned char *to;
	void *at;
	int err;

	if (bytes > abouts[record->about].most_bytes)
		return -EMSGSIZE;
	stream->kind = abouts[record->about].chunk;
	stream->chunk_bytes = CHUNK_BYTES;
	err = record_stream_room(stream, part, padded(bytes), &at);
	if (err)
		return err;
	to = at;
	copy_bytes(to, record->head, record->head_bytes);
	to += record->head_bytes;
	for (size_t i = 0; i < record->rest_count; i++) {
		copy_bytes(to, record->rest[i].text, record->rest[i].bytes);
		to += record->rest[i].bytes;
	}
	record_stream_add(stream, padded(bytes));
	return 0;
}

/*
 * Writes a record, which begins with `head`, with a new number of this kind.
 * `method` is the innermost method of a stack. Returns the number, or 0.
 */
static uint32_t add(struct function_names *names, struct part *part,
		    enum wire_range_kind kind, struct wire_numbered *head,
		    const struct new_record *record, uint32_t method)
{
	struct number_range *range;
	uint32_t number = 0;
	uint64_t signals;

	if (runtime_is_filtered())
		return 0;
	lock_acquire(&names->lock, &signals);
	range = range_with_room(names, part, kind);
	if (range) {
		head->number = range->first + range->used;
		head->bytes = (uint32_t)bytes_of(record);
		if (!put_record(names, part, record)) {
			number = head->number;
			if (range->innermost)
				range->innermost[range->used] = method;
			atomic_fetch_add(&range->used, 1);
		}
	}
	lock_release(&names->lock, &signals);
	return number;
}

uint32_t function_names_add(struct function_names *names, struct part *part,
			    enum wire_range_kind kind, const char *name,
			    size_t bytes)
{
	struct wire_name head = { .head = { 0 } };
	const struct name_text text = {
		name,
		bytes < WIRE_NAME_BYTES_MAX ? bytes : WIRE_NAME_BYTES_MAX,
	};

	return add(names, part, kind, &head.head,
		   &(struct new_record){ NAMES_ABOUT_NAMES, &head, sizeof(head),
					 &text, 1 },
		   0);
}

/* Returns how many bytes of a text fit, and subtracts them from *room. */
static uint16_t fit(const struct name_text *text, size_t *room)
{
	const size_t bytes = text->bytes < *room ? text->bytes : *room;

	*room -= bytes;
	return (uint16_t)bytes;
}

uint32_t function_names_add_method(struct function_names *names,
				   struct part *part, enum wire_range_kind kind,
				   const struct name_text texts[3],
				   uint32_t left)
{
	size_t room = WIRE_METHOD_BYTES_MAX - 3; /* each text has a NUL */
	const uint16_t class_bytes = fit(&texts[0], &room);
	const uint16_t name_bytes = fit(&texts[1], &room);
	const uint16_t signature_bytes = fit(&texts[2], &room);
	struct wire_method head = {
		.texts = { .class_bytes = class_bytes + 1,
			   .name_bytes = name_bytes + 1,
			   .signature_bytes = signature_bytes + 1 },
		.left = left,
	};
	const struct name_text rest[] = {
		{ texts[0].text, class_bytes },     { "", 1 },
		{ texts[1].text, name_bytes },      { "", 1 },
		{ texts[2].text, signature_bytes }, { "", 1 },
	};

	return add(names, part, kind, &head.head,
		   &(struct new_record){ NAMES_ABOUT_METHODS, &head,
					 sizeof(head), rest,
					 sizeof(rest) / sizeof(*rest) },
		   0);
}

uint32_t function_names_add_stack(struct function_names *names,
				  struct part *part, const uint32_t *numbers,
				  const uint16_t *bytecodes, uint32_t count)
{
	struct wire_stack head = { .count = count };
	const struct name_text rest[] = {
		{ (const char *)numbers, count * sizeof(*numbers) },
		{ (const char *)bytecodes, count * sizeof(*bytecodes) },
	};

	return add(names, part, WIRE_RANGE_JAVA_STACK, &head.head,
		   &(struct new_record){ NAMES_ABOUT_STACKS, &head,
					 sizeof(head), rest, 2 },
		   numbers[count - 1]);
}

uint32_t function_names_add_caller(struct function_names *names,
				   struct part *part, uint64_t pc, uint64_t tsc)
{
	struct wire_caller head = { .pc = pc, .tsc = tsc };

	return add(names, part, WIRE_RANGE_GENERATED_CALLER, &head.head,
		   &(struct new_record){ NAMES_ABOUT_CALLERS, &head,
					 sizeof(head), NULL, 0 },
		   0);
}

void function_names_add_source(struct function_names *names, struct part *part,
			       uint32_t number, const struct name_text path[2],
			       const struct wire_line *lines, size_t count)
{
	struct wire_source head = {
		.head = { .number = number },
		.lines = (uint32_t)count,
		.path_bytes = (uint32_t)(path[0].bytes + path[1].bytes + 1),
	};
	const struct name_text rest[] = {
		{ (const char *)lines, count * sizeof(*lines) },
		path[0],
		path[1],
		{ "", 1 },
	};
	const struct new_record record = { NAMES_ABOUT_SOURCES, &head,
					   sizeof(head), rest, 4 };
	uint64_t signals;

	head.head.bytes = (uint32_t)bytes_of(&record);
	if (runtime_is_filtered())
		return;
	lock_acquire(&names->lock, &signals);
	put_record(names, part, &record);
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

struct names_inheriting {
	struct function_names *names;
	struct part *to;
	enum names_about about;
};

static int inherit_ranges(void *context, const struct chunk *chunk)
{
	const struct names_inheriting *inheriting = context;
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
		       ? record_range(inheriting->to, range)
		       : 0;
}

static int inherit_names(void *context, const struct chunk *chunk)
{
	const struct names_inheriting *inheriting = context;
	const unsigned char *at = chunk_payload(chunk);
	const unsigned char *end =
		at +
		atomic_load_explicit(&chunk->head->used, memory_order_acquire);

	while (at < end) {
		const struct wire_numbered *head = (const void *)at;
		const uint32_t bytes = head->bytes;
		int err = 0;

		if (bytes < sizeof(*head) ||
		    bytes > abouts[inheriting->about].most_bytes)
			return -EBADMSG; /* not written by clew */
		if (numbers_find(head->number))
			err = put_record(
				inheriting->names, inheriting->to,
				&(struct new_record){ inheriting->about, head,
						      bytes, NULL, 0 });
		if (err)
			return err;
		at += padded(bytes);
	}
	return 0;
}

int function_names_after_fork(struct function_names *names, struct part *to,
			      const struct part *from)
{
	struct names_inheriting inheriting = { .names = names, .to = to };
	int err =
		part_each_chunk(from, WIRE_RANGES, inherit_ranges, &inheriting);

	lock_forget(&names->lock);
	for (int i = 0; i < NAMES_ABOUT_COUNT; i++)
		record_stream_forget(&names->records[i]);
	for (int i = 0; i < NAMES_ABOUT_COUNT && !err; i++) {
		inheriting.about = (enum names_about)i;
		err = part_each_chunk(from, abouts[i].chunk, inherit_names,
				      &inheriting);
	}
	return err;
}
