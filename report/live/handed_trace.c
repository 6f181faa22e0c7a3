/* SPDX-License-Identifier: MIT */
/* See handed_trace.h. */
#include "report/live/handed_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/regular_file.h"
#include "wire/packet.h"

/* ---- Memory ---- */

/*
 * Maps the part of the file behind the last segment. Returns 0; -EAGAIN if the
 * file ends there; or another -errno. Rarely needed, because the process
 * extends the file by a large hole.
 */
static int map_more(struct handed_trace *trace)
{
	struct handed_segment segment = { 0 };
	const struct handed_segment *last =
		trace->segment_count
			? &trace->segments[trace->segment_count - 1]
			: NULL;
	struct stat status;
	int fd = regular_file_open(trace->path, O_RDWR | O_NOFOLLOW);
	int err = fd < 0 ? fd : fstat(fd, &status) != 0 ? -errno : 0;

	segment.offset = last ? last->offset + last->bytes : 0;
	if (!err && (uint64_t)status.st_size <= segment.offset)
		err = -EAGAIN;
	if (!err) {
		segment.bytes = ((uint64_t)status.st_size - segment.offset) &
				~(uint64_t)(WIRE_PAGE_BYTES - 1);
		segment.at = mmap(NULL, segment.bytes, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_NORESERVE, fd,
				  (off_t)segment.offset);
		err = segment.at == MAP_FAILED ? -errno : 0;
	}
	if (fd >= 0)
		close(fd);
	if (err)
		return err;
	trace->segments =
		memory_grow(trace->segments, trace->segment_count,
			    &trace->segment_capacity, sizeof(segment));
	trace->segments[trace->segment_count++] = segment;
	return 0;
}

/*
 * Returns the mapped chunk at an offset if it has at least `bytes` bytes, else
 * NULL.
 */
static struct wire_chunk *chunk_at(struct handed_trace *trace, uint64_t offset,
				   uint64_t bytes)
{
	for (size_t i = trace->segment_count; i > 0; i--) {
		const struct handed_segment *segment = &trace->segments[i - 1];

		if (offset < segment->offset)
			continue;
		if (offset - segment->offset > segment->bytes - bytes)
			break;
		return (void *)(segment->at + (offset - segment->offset));
	}
	return NULL;
}

/* ---- Chunks ---- */

static void add_packet(struct handed_trace *trace, struct wire_chunk *head,
		       uint64_t offset)
{
	struct handed_packet *packet = memory_zeroed(1, sizeof(*packet));

	packet->head = head;
	packet->offset = offset;
	trace->packets =
		memory_grow(trace->packets, trace->count, &trace->capacity,
			    sizeof(struct handed_packet *));
	trace->packets[trace->count++] = packet;
}

/*
 * Reads the header of a chunk, and adds the chunk if it is for packets. Returns
 * its size, or 0 if it is invalid or not mapped. Does not add a chunk that lies
 * in two segments; later readers of the file count its calls.
 */
static uint64_t look_at(struct handed_trace *trace, uint64_t offset,
			uint64_t end)
{
	struct wire_chunk *chunk = chunk_at(trace, offset, sizeof(*chunk));
	uint64_t bytes = chunk ? chunk->bytes : 0;

	if (bytes < sizeof(*chunk) || bytes % 8 || bytes > end - offset)
		return 0;
	chunk = chunk_at(trace, offset, bytes);
	if (chunk && chunk->kind == WIRE_PACKET_BLOCKS &&
	    bytes >= sizeof(*chunk) + sizeof(*trace->wire))
		trace->wire = (void *)(chunk + 1);
	if (chunk && chunk->kind == WIRE_PACKET && bytes == WIRE_PACKET_BYTES)
		add_packet(trace, chunk, offset);
	return bytes;
}

/* Finds new chunks. */
static void look(struct handed_trace *trace)
{
	const uint64_t end =
		atomic_load_explicit(&trace->header->end, memory_order_acquire);
	uint64_t bytes;

	while (trace->looked_to < end) {
		const struct handed_segment *last =
			&trace->segments[trace->segment_count - 1];

		if (end > last->offset + last->bytes && map_more(trace) != 0)
			return;
		bytes = look_at(trace, trace->looked_to, end);
		if (!bytes)
			return;
		trace->looked_to += bytes;
	}
}

static int begin(struct handed_trace *trace)
{
	int err = map_more(trace);

	if (err)
		return err;
	trace->header = (void *)trace->segments[0].at;
	if (trace->segments[0].bytes < WIRE_HEADER_BYTES)
		return -EAGAIN;
	if (memcmp(trace->header->magic, WIRE_MAGIC,
		   sizeof(trace->header->magic)) != 0)
		return -EAGAIN; /* the magic number is written last */
	if (trace->header->version != WIRE_VERSION)
		return -EPROTO;
	trace->looked_to = trace->header->header_bytes;
	look(trace);
	return trace->wire ? 0 : -EAGAIN;
}

int handed_trace_open(struct handed_trace *trace, const char *path)
{
	struct handed_trace new = { .path = memory_printf("%s", path) };
	int err = begin(&new);

	if (err)
		handed_trace_close(&new);
	else
		*trace = new;
	return err;
}

void handed_trace_close(struct handed_trace *trace)
{
	for (size_t i = 0; i < trace->segment_count; i++)
		munmap(trace->segments[i].at, trace->segments[i].bytes);
	for (size_t i = 0; i < trace->count; i++)
		free(trace->packets[i]);
	free(trace->segments);
	free(trace->packets);
	free(trace->path);
	*trace = (struct handed_trace){ 0 };
}

/* ---- Packets ---- */

/*
 * Copies new blocks. The process adds a block before it calls a function of it.
 */
static void take_blocks(struct handed_trace *trace)
{
	uint32_t count =
		atomic_load_explicit(&trace->wire->count, memory_order_acquire);

	if (count > WIRE_PACKET_BLOCKS_COUNT)
		count = WIRE_PACKET_BLOCKS_COUNT;
	for (uint32_t i = trace->blocks.count; i < count; i++)
		trace->blocks.blocks[i] = trace->wire->blocks[i];
	trace->blocks.count = count;
}

static int is_taken(struct wire_chunk *head)
{
	uint64_t offered = WIRE_PACKET_OFFERED;

	return atomic_load_explicit(&head->used, memory_order_relaxed) ==
		       WIRE_PACKET_OFFERED &&
	       atomic_compare_exchange_strong(&head->used, &offered,
					      WIRE_PACKET_TAKEN);
}

struct handed_packet *handed_trace_take(struct handed_trace *trace)
{
	const uint32_t filled = atomic_load(&trace->wire->filled);

	if (filled == trace->filled)
		return NULL;
	look(trace);
	for (size_t i = 0; i < trace->count; i++) {
		struct handed_packet *packet =
			trace->packets[(trace->next + i) % trace->count];

		if (!is_taken(packet->head))
			continue;
		trace->next = (trace->next + i + 1) % trace->count;
		take_blocks(trace);
		return packet;
	}
	trace->filled = filled;
	return NULL;
}

void handed_trace_give_back(struct handed_packet *packet)
{
	atomic_store_explicit(&packet->head->used, WIRE_PACKET_COUNTED,
			      memory_order_release);
}

/* ---- Waiting ---- */

static void wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void handed_trace_wake(struct handed_trace *trace)
{
	atomic_fetch_add(&trace->wire->freed, 1);
	if (atomic_load(&trace->wire->waiting))
		wake(&trace->wire->freed);
}

void handed_trace_sleep(struct handed_trace *trace, uint64_t ns)
{
	struct wire_packet_blocks *wire = trace->wire;
	const struct timespec most = { .tv_nsec = (long)ns };

	atomic_fetch_add(&wire->sleeping, 1);
	syscall(SYS_futex, &wire->filled, FUTEX_WAIT, trace->filled, &most,
		NULL, 0);
	atomic_fetch_sub(&wire->sleeping, 1);
}

int handed_trace_is_awaited(const struct handed_trace *trace)
{
	return atomic_load(&trace->wire->waiting) != 0;
}

void handed_trace_give_up(struct handed_trace *trace, enum wire_given_up reason)
{
	uint32_t none = 0;

	atomic_compare_exchange_strong(&trace->wire->is_given_up, &none,
				       (uint32_t)reason);
	handed_trace_wake(trace);
}
