/* SPDX-License-Identifier: MIT */
/* See records.h. */
#include "preload/generated/records.h"

#include <string.h>

#include "preload/hot/runtime.h"
#include "preload/hot/stamp_counter.h"
#include "preload/record/record_stream.h"
#include "preload/record/recorder.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/sys.h"

#define CHUNK_BYTES (32 << 10)

/* A stream of records with its lock, in the part of a process. */
struct locked_stream {
	struct record_stream records;
	struct lock lock; /* taken before the part's lock */
	uint32_t pid;     /* process that owns the part */
};

static struct locked_stream bindings = {
	.records = { .kind = WIRE_BINDINGS, .chunk_bytes = CHUNK_BYTES },
};
static struct locked_stream codes = {
	.records = { .kind = WIRE_CODES, .chunk_bytes = CHUNK_BYTES },
};
static struct locked_stream makers = {
	.records = { .kind = WIRE_MAKERS, .chunk_bytes = CHUNK_BYTES },
};
static struct locked_stream mapped_codes = {
	.records = { .kind = WIRE_MAPPED_CODE, .chunk_bytes = 4 << 10 },
};
static struct locked_stream lines = {
	.records = { .kind = WIRE_CODE_LINES, .chunk_bytes = CHUNK_BYTES },
};

/* ---- Streams ---- */

/*
 * Called before each use of a stream. In a forked child, or after
 * records_begin_again(), resets the stream: the process has a new part, and the
 * owner of the lock may not exist in a child.
 */
static void begin_in_child(struct locked_stream *stream)
{
	if (stream->pid == rt.header->pid)
		return;
	lock_forget(&stream->lock);
	record_stream_forget(&stream->records);
	stream->pid = rt.header->pid;
}

/*
 * Appends a record and its texts, some of which may be empty. Returns NULL if
 * there is no space.
 */
static void *put(struct record_stream *stream, const void *head,
		 size_t head_bytes, const char *const texts[3],
		 const size_t text_bytes[3])
{
	const uint64_t bytes =
		head_bytes + text_bytes[0] + text_bytes[1] + text_bytes[2];
	const uint64_t padded = (bytes + 7) & ~UINT64_C(7);
	unsigned char *to;
	void *at;

	if (record_stream_room(stream, &rt.recorder->part, padded, &at))
		return NULL;
	to = at;
	copy_bytes(to, head, head_bytes);
	to += head_bytes;
	for (int i = 0; i < 3; i++) {
		copy_bytes(to, texts[i], text_bytes[i]);
		to += text_bytes[i];
	}
	record_stream_add(stream, padded);
	return at;
}

static void *put_locked(struct locked_stream *stream, const void *head,
			size_t head_bytes, const char *const texts[3],
			const size_t text_bytes[3])
{
	uint64_t signals;
	void *record;

	if (runtime_is_filtered())
		return NULL;
	begin_in_child(stream);
	lock_acquire(&stream->lock, &signals);
	record = put(&stream->records, head, head_bytes, texts, text_bytes);
	lock_release(&stream->lock, &signals);
	return record;
}

/* ---- Records ---- */

/* Returns the size of a text with its NUL; a NULL has none. */
static size_t size_of(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

/*
 * Measures the texts of a method. Returns 0 if they are missing or too long.
 */
static int measure(const char *const texts[3], size_t bytes[3],
		   struct wire_method_texts *out)
{
	size_t sum = 0;

	for (int i = 0; i < 3; i++) {
		bytes[i] = size_of(texts[i]);
		sum += bytes[i];
	}
	if (sum == 0 || sum > WIRE_METHOD_BYTES_MAX)
		return 0;
	*out = (struct wire_method_texts){
		.class_bytes = (uint16_t)bytes[0],
		.name_bytes = (uint16_t)bytes[1],
		.signature_bytes = (uint16_t)bytes[2],
	};
	return 1;
}

void records_miss(void)
{
	atomic_fetch_add(&rt.header->unnamed_natives, 1);
}

void records_bind(uint64_t pc, uint32_t number,
		  const struct java_method *method)
{
	const char *const texts[] = { method->class, method->name,
				      method->signature };
	struct wire_binding head = { .pc = pc, .number = number };
	size_t bytes[3];

	head.bound_ns = sys_clock_ns(CLOCK_REALTIME);
	if (!measure(texts, bytes, &head.texts) ||
	    !put_locked(&bindings, &head, sizeof(head), texts, bytes))
		records_miss();
}

uint64_t records_stamp(void)
{
	return rt.header->time == WIRE_TIME_NONE ? 1 : stamp_counter();
}

void records_begin_again(void)
{
	bindings.pid = codes.pid = makers.pid = lines.pid = 0;
	mapped_codes.pid = 0;
}

/*
 * Records code, unless it has no name or the texts are too long, or the end of
 * code. Returns the time stamp, even if nothing was recorded.
 */
static uint64_t add_code(uint64_t start, uint32_t code_bytes,
			 enum wire_code_kind kind, const char *const texts[3])
{
	struct wire_code head = { .start = start,
				  .code_bytes = code_bytes,
				  .kind = kind };
	size_t bytes[3];
	int is_named = measure(texts, bytes, &head.texts);

	head.tsc = records_stamp();
	if (is_named || kind == WIRE_CODE_GONE)
		put_locked(&codes, &head, sizeof(head), texts, bytes);
	return head.tsc;
}

uint64_t records_compiled(uint64_t start, uint32_t bytes,
			  const struct java_method *method)
{
	const char *const texts[] = { method->class, method->name,
				      method->signature };

	return add_code(start, bytes, WIRE_CODE_JAVA, texts);
}

void records_lines(const struct wire_code_lines *head, const uint32_t *methods,
		   const void *bytes)
{
	const size_t method_bytes = head->methods * sizeof(*methods);
	const char *const texts[] = { (const char *)methods, bytes, NULL };
	const size_t text_bytes[] = { method_bytes, head->bytes - method_bytes,
				      0 };

	put_locked(&lines, head, sizeof(*head), texts, text_bytes);
}

void records_generated(uint64_t start, uint32_t bytes, const char *name)
{
	const char *const texts[] = { NULL, name, NULL };

	add_code(start, bytes, WIRE_CODE_OTHER, texts);
}

void records_unloaded(uint64_t start)
{
	const char *const texts[] = { NULL, NULL, NULL };

	add_code(start, 0, WIRE_CODE_GONE, texts);
}

/*
 * Returns the length of a name without calling libc, whose functions use vector
 * registers (registration.c).
 */
static size_t bytes_of_name(const char *name)
{
	size_t bytes = 0;

	while (bytes < WIRE_NAME_BYTES_MAX && name[bytes] != '\0')
		bytes++;
	return bytes;
}

int records_registered(uint64_t start, uint64_t bytes, const char *name,
		       uint32_t object)
{
	const char *const texts[] = { name, "", NULL };
	const size_t text_bytes[] = { bytes_of_name(name), 1, 0 };
	const struct wire_code head = {
		.start = start,
		.code_bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX,
		.kind = WIRE_CODE_REGISTERED,
		.texts = { .name_bytes =
				   (uint16_t)(text_bytes[0] + text_bytes[1]) },
		.object = object,
		.tsc = records_stamp(),
	};

	return put_locked(&codes, &head, sizeof(head), texts, text_bytes) !=
	       NULL;
}

static int add_nameless(enum wire_code_kind kind, uint64_t start,
			uint32_t object)
{
	const char *const texts[] = { NULL, NULL, NULL };
	const size_t text_bytes[3] = { 0 };
	const struct wire_code head = { .start = start,
					.kind = kind,
					.object = object,
					.tsc = records_stamp() };

	return put_locked(&codes, &head, sizeof(head), texts, text_bytes) !=
	       NULL;
}

int records_unregistered(uint64_t start, uint32_t object)
{
	return add_nameless(WIRE_CODE_GONE, start, object);
}

void records_unread(enum wire_unread why)
{
	add_nameless(WIRE_CODE_UNREAD, 0, why);
}

static void add_mapped(const struct wire_mapped_code *mapped)
{
	const char *const texts[] = { NULL, NULL, NULL };
	const size_t text_bytes[3] = { 0 };

	put_locked(&mapped_codes, mapped, sizeof(*mapped), texts, text_bytes);
}

_Atomic uint64_t *records_made(uint64_t start, uint64_t end, uint64_t pc,
			       const char *name,
			       struct wire_mapped_code *mapped)
{
	const char *const texts[] = { name, NULL, NULL };
	const size_t named = bytes_of_name(name);
	const size_t text_bytes[] = { named < WIRE_MAKER_BYTES_MAX
					      ? named
					      : WIRE_MAKER_BYTES_MAX,
				      0, 0 };
	const struct wire_maker head = { .start = start,
					 .end = end,
					 .tsc = records_stamp(),
					 .pc = pc,
					 .bytes = (uint32_t)text_bytes[0] };
	struct wire_maker *record;

	if (mapped) {
		mapped->tsc = head.tsc;
		add_mapped(mapped);
	}
	record = put_locked(&makers, &head, sizeof(head), texts, text_bytes);
	return record ? &record->gone_tsc : NULL;
}
