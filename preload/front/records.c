/* SPDX-License-Identifier: MIT */
#include "preload/front/records.h"

#include <string.h>

#include "preload/hot/runtime.h"
#include "preload/hot/stamp_counter.h"
#include "preload/record/recorder.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/sys.h"

#define CHUNK_BYTES (UINT64_C(32) << 10)

/* Records of a kind, one behind the other, in chunks of their own. */
struct record_stream {
	enum wire_chunk_kind kind;
	struct lock lock;   /* taken before the part's */
	struct chunk chunk; /* the newest; head is NULL if there is none */
	uint64_t used;      /* bytes of its payload */
	uint32_t pid;       /* whose part it belongs to */
};

static struct record_stream bindings = { .kind = WIRE_BINDINGS };
static struct record_stream codes = { .kind = WIRE_CODES };
static struct record_stream makers = { .kind = WIRE_MAKERS };

/* ---- Streams ---- */

static uint64_t room_of(const struct record_stream *stream)
{
	return stream->chunk.head
		       ? stream->chunk.bytes - sizeof(struct wire_chunk) -
				 stream->used
		       : 0;
}

/* At the end of the newest chunk, made if need be. NULL: there is no space. */
static void *find_room(struct record_stream *stream, uint64_t bytes)
{
	if (room_of(stream) < bytes) {
		stream->used = 0;
		if (part_alloc(&rt.recorder->part, stream->kind, 0,
			       CHUNK_BYTES - sizeof(struct wire_chunk),
			       &stream->chunk)) {
			stream->chunk.head = NULL;
			return NULL;
		}
	}
	return (unsigned char *)chunk_payload(&stream->chunk) + stream->used;
}

/* A forked child has a part of its own, and whoever held the lock is not there. */
static void begin_in_child(struct record_stream *stream)
{
	if (stream->pid == rt.header->pid)
		return;
	lock_forget(&stream->lock);
	stream->chunk.head = NULL;
	stream->pid = rt.header->pid;
}

/* The text's bytes follow, of which some may be none. NULL: there is no room. */
static void *put(struct record_stream *stream, const void *head,
		 size_t head_bytes, const char *const texts[3],
		 const size_t text_bytes[3])
{
	const uint64_t bytes =
		head_bytes + text_bytes[0] + text_bytes[1] + text_bytes[2];
	const uint64_t padded = (bytes + 7) & ~UINT64_C(7);
	unsigned char *const record = find_room(stream, padded);
	unsigned char *at = record;

	if (!at)
		return NULL;
	copy_bytes(at, head, head_bytes);
	at += head_bytes;
	for (int i = 0; i < 3; i++) {
		copy_bytes(at, texts[i], text_bytes[i]);
		at += text_bytes[i];
	}
	stream->used += padded;
	/* complete when it is seen */
	atomic_store_explicit(&stream->chunk.head->used, stream->used,
			      memory_order_release);
	return record;
}

static void *put_locked(struct record_stream *stream, const void *head,
			size_t head_bytes, const char *const texts[3],
			const size_t text_bytes[3])
{
	uint64_t signals;
	void *record;

	if (runtime_is_filtered())
		return NULL;
	begin_in_child(stream);
	lock_acquire(&stream->lock, &signals);
	record = put(stream, head, head_bytes, texts, text_bytes);
	lock_release(&stream->lock, &signals);
	return record;
}

/* ---- Records ---- */

/* Their NULs, too. Returns how many bytes in all, or 0: that is too long. */
static uint32_t measure(const char *const texts[3], size_t bytes[3])
{
	size_t sum = 0;

	for (int i = 0; i < 3; i++) {
		bytes[i] = texts[i] ? strlen(texts[i]) + 1 : 0;
		sum += bytes[i];
	}
	return sum > WIRE_BINDING_BYTES_MAX ? 0 : (uint32_t)sum;
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

	head.bytes = measure(texts, bytes);
	head.bound_ns = sys_clock_ns(CLOCK_REALTIME);
	if (!head.bytes ||
	    !put_locked(&bindings, &head, sizeof(head), texts, bytes))
		records_miss();
}

uint64_t records_stamp(void)
{
	return rt.header->time == WIRE_TIME_NONE ? 1 : stamp_counter();
}

/* Without its name the code is code that nobody has told of. */
static void add_code(uint64_t start, uint32_t code_bytes,
		     enum wire_code_kind kind, const char *const texts[3])
{
	struct wire_code head = { .start = start,
				  .code_bytes = code_bytes,
				  .kind = kind };
	size_t bytes[3];

	head.bytes = measure(texts, bytes);
	head.tsc = records_stamp();
	if (head.bytes || kind == WIRE_CODE_GONE)
		put_locked(&codes, &head, sizeof(head), texts, bytes);
}

void records_compiled(uint64_t start, uint32_t bytes,
		      const struct java_method *method)
{
	const char *const texts[] = { method->class, method->name,
				      method->signature };

	add_code(start, bytes, WIRE_CODE_JAVA, texts);
}

void records_generated(uint64_t start, uint32_t bytes, const char *name)
{
	const char *const texts[] = { name, NULL, NULL };

	add_code(start, bytes, WIRE_CODE_OTHER, texts);
}

void records_gone(uint64_t start)
{
	const char *const texts[] = { NULL, NULL, NULL };

	add_code(start, 0, WIRE_CODE_GONE, texts);
}

/* Without libc, which uses vector registers (registration.c). */
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
		.bytes = (uint32_t)(text_bytes[0] + text_bytes[1]),
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

_Atomic uint64_t *records_made(uint64_t start, uint64_t end, uint64_t pc,
			       const char *name)
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
	struct wire_maker *record =
		put_locked(&makers, &head, sizeof(head), texts, text_bytes);

	return record ? &record->gone_tsc : NULL;
}
