/* SPDX-License-Identifier: MIT */
#include "jvm/bindings.h"

#include <string.h>

#include "preload/hot/runtime.h"
#include "preload/record/recorder.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/sys.h"

#define CHUNK_BYTES (UINT64_C(32) << 10)

static struct {
	struct lock lock;   /* taken before the part's */
	struct chunk chunk; /* the newest; head is NULL if there is none */
	uint64_t used;      /* bytes of its payload */
	uint32_t pid;       /* whose part it belongs to */
} bindings;

static uint64_t room(void)
{
	return bindings.chunk.head
		       ? bindings.chunk.bytes - sizeof(struct wire_chunk) -
				 bindings.used
		       : 0;
}

/* Of the newest chunk, made if need be. NULL: there is no space. */
static struct wire_binding *find_room(uint64_t bytes)
{
	if (room() < bytes) {
		bindings.used = 0;
		if (part_alloc(&rt.recorder->part, WIRE_BINDINGS, 0,
			       CHUNK_BYTES - sizeof(struct wire_chunk),
			       &bindings.chunk)) {
			bindings.chunk.head = NULL;
			return NULL;
		}
	}
	return (struct wire_binding *)((unsigned char *)chunk_payload(
					       &bindings.chunk) +
				       bindings.used);
}

/* A forked child has a part of its own, and whoever held the lock is not there. */
static void begin_in_child(void)
{
	if (bindings.pid == rt.header->pid)
		return;
	lock_forget(&bindings.lock);
	bindings.chunk.head = NULL;
	bindings.pid = rt.header->pid;
}

/* Its NUL, too. */
static char *put(char *at, const char *text)
{
	const size_t bytes = strlen(text) + 1;

	copy_bytes(at, text, bytes);
	return at + bytes;
}

/* Complete when it is seen: the chunk's `used` is stored last. */
static int record(uint64_t pc, const char *class, const char *name,
		  const char *signature)
{
	const uint64_t text_bytes =
		strlen(class) + strlen(name) + strlen(signature) + 3;
	const uint64_t bytes =
		sizeof(struct wire_binding) + ((text_bytes + 7) & ~UINT64_C(7));
	struct wire_binding *binding;

	if (text_bytes > WIRE_BINDING_BYTES_MAX)
		return 0;
	binding = find_room(bytes);
	if (!binding)
		return 0;
	binding->pc = pc;
	binding->bound_ns = sys_clock_ns(CLOCK_REALTIME);
	binding->bytes = (uint32_t)text_bytes;
	put(put(put((char *)(binding + 1), class), name), signature);
	bindings.used += bytes;
	atomic_store_explicit(&bindings.chunk.head->used, bindings.used,
			      memory_order_release);
	return 1;
}

void bindings_miss(void)
{
	atomic_fetch_add(&rt.header->unnamed_natives, 1);
}

void bindings_add(uint64_t pc, const char *class, const char *name,
		  const char *signature)
{
	uint64_t signals;
	int is_recorded;

	if (runtime_is_filtered()) {
		bindings_miss();
		return;
	}
	begin_in_child();
	lock_acquire(&bindings.lock, &signals);
	is_recorded = record(pc, class, name, signature);
	lock_release(&bindings.lock, &signals);
	if (!is_recorded)
		bindings_miss();
}
