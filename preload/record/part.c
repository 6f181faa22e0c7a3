/* SPDX-License-Identifier: MIT */
/* See part.h. */
#include "preload/record/part.h"

#include "preload/record/memory_bound.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/text.h"

#define ROUND_UP(n)                                                            \
	(((n) + WIRE_PAGE_BYTES - 1) & ~(uint64_t)(WIRE_PAGE_BYTES - 1))

static struct wire_header nowhere; /* see part_create_nowhere() */

/* ---- Chunks ---- */

/*
 * Splits a free chunk into one of `bytes` bytes and the rest. The order of the
 * stores lets a concurrent reader see either one chunk or two.
 */
static void split_chunk(struct chunk *chunk, uint64_t bytes, struct chunk *rest)
{
	struct wire_chunk *head =
		(struct wire_chunk *)((unsigned char *)chunk->head + bytes);

	*rest = (struct chunk){ .head = head,
				.offset = chunk->offset + bytes,
				.bytes = chunk->bytes - bytes };
	head->bytes = rest->bytes;
	chunk->bytes = bytes;
	__atomic_store_n(&chunk->head->bytes, bytes, __ATOMIC_RELEASE);
}

/*
 * Allocates disk blocks for the first `bytes` bytes of a freed chunk, because
 * part_free() has released all but the first page's. If a rest of the chunk
 * remains, also for the page with its head. Returns 0 or -errno.
 */
static int take_blocks(const struct part *part, const struct chunk *chunk,
		       uint64_t bytes)
{
	const uint64_t kept = WIRE_PAGE_BYTES;

	if (chunk->bytes > bytes)
		bytes += WIRE_PAGE_BYTES;
	if (bytes == kept)
		return 0;
	return part_file_take(&part->file, chunk->offset + kept,
			      (unsigned char *)chunk->head + kept,
			      bytes - kept);
}

/* Takes the first unused chunk that is large enough, and splits it. */
static int take_unused(struct part *part, uint64_t bytes, struct chunk *out)
{
	for (uint32_t i = 0; i < part->unused_count; i++) {
		struct chunk *unused = &part->unused[i];
		struct chunk whole = *unused;

		if (whole.bytes < bytes || take_blocks(part, &whole, bytes))
			continue;
		if (whole.bytes > bytes)
			split_chunk(&whole, bytes, unused);
		else
			*unused = part->unused[--part->unused_count];
		*out = whole;
		return 1;
	}
	return 0;
}

static int append_chunk(struct part *part, uint64_t bytes, struct chunk *out)
{
	void *at;
	int err;

	if (part->header == &nowhere)
		return -ENOSPC;
	err = part_file_extend(&part->file, part->end, bytes, &at);
	if (!err)
		*out = (struct chunk){ .head = at,
				       .offset = part->end,
				       .bytes = bytes };
	return err;
}

/*
 * Makes a complete chunk visible to readers, by moving the end of the part
 * behind it.
 */
static void publish_chunk(struct part *part, const struct chunk *chunk)
{
	const uint64_t end = chunk->offset + chunk->bytes;

	if (end <= part->end)
		return;
	__atomic_store_n(&part->end, end, __ATOMIC_RELEASE);
	/* This release pairs with the reader's acquire of `end`. */
	atomic_store_explicit(&part->header->end, end, memory_order_release);
}

void part_limit(struct part *part, uint64_t max_bytes)
{
	part->header->max_bytes = max_bytes;
}

/*
 * Returns whether chunks of this kind count towards the limits of memory and
 * are refused beyond them. Tallies and histograms count, but are never refused,
 * because threads need them.
 */
static int is_bounded(enum wire_chunk_kind kind)
{
	return kind == WIRE_TABLE || kind == WIRE_CONTEXTS ||
	       kind == WIRE_SAMPLES;
}

static int is_too_much(const struct part *part, enum wire_chunk_kind kind,
		       uint64_t bytes)
{
	const uint64_t most = part->header->max_bytes;

	if (!most || !is_bounded(kind))
		return 0;
	if (kind == WIRE_SAMPLES && part->sample_bytes + bytes > most / 2)
		return 1;
	return part->spent_bytes + bytes > most;
}

/*
 * Returns the memory that a chunk needs. A table needs as much as half of its
 * chunk for its notes, which are not in the file (tables.c).
 */
static uint64_t memory_of(enum wire_chunk_kind kind, uint64_t bytes)
{
	return kind == WIRE_TABLE ? bytes + bytes / 2 : bytes;
}

/*
 * Returns 0 if a chunk may be allocated, -ENOBUFS beyond the user's limit, or
 * -EXFULL if the program might then lack memory (memory_bound.h).
 */
static int allow(const struct part *part, enum wire_chunk_kind kind,
		 uint64_t bytes)
{
	if (is_too_much(part, kind, bytes))
		return -ENOBUFS;
	return is_bounded(kind) ? memory_bound_take(memory_of(kind, bytes)) : 0;
}

/*
 * Adds the bytes of a chunk to those in use. `bytes` is negative for a chunk
 * that is no longer in use.
 */
static void spend(struct part *part, enum wire_chunk_kind kind, int64_t bytes)
{
	if (kind == WIRE_SAMPLES)
		part->sample_bytes += (uint64_t)bytes;
	if (kind == WIRE_SAMPLES || kind == WIRE_TABLE ||
	    kind == WIRE_CONTEXTS || kind == WIRE_TALLY ||
	    kind == WIRE_HISTOGRAMS)
		part->spent_bytes += (uint64_t)bytes;
}

int part_alloc(struct part *part, enum wire_chunk_kind kind, uint32_t owner,
	       uint64_t bytes, struct chunk *out)
{
	uint64_t signals;
	int err;

	bytes = ROUND_UP(bytes + sizeof(struct wire_chunk));
	lock_acquire(&part->lock, &signals);
	err = allow(part, kind, bytes);
	if (!err && !take_unused(part, bytes, out))
		err = append_chunk(part, bytes, out);
	if (!err) {
		spend(part, kind, (int64_t)out->bytes);
		out->head->owner = owner;
		out->head->bytes = out->bytes;
		atomic_store_explicit(&out->head->kind, kind,
				      memory_order_release);
		publish_chunk(part, out);
	}
	lock_release(&part->lock, &signals);
	return err;
}

int part_copy_chunk(struct part *part, const struct chunk *from,
		    struct chunk *out)
{
	const struct wire_chunk *head = from->head;
	const uint64_t used =
		atomic_load_explicit(&head->used, memory_order_acquire);
	int err = part_alloc(part, head->kind, head->owner, used, out);

	if (err)
		return err;
	copy_bytes(out->head + 1, head + 1, used);
	atomic_store_explicit(&out->head->used, used, memory_order_release);
	return 0;
}

/*
 * Zeroes a chunk except its head, and releases the disk blocks of all its pages
 * but the first.
 */
static void clear(struct part *part, const struct chunk *chunk)
{
	unsigned char *at = (unsigned char *)chunk->head;

	spend(part, chunk->head->kind, -(int64_t)chunk->bytes);
	if (is_bounded(chunk->head->kind))
		memory_bound_give(memory_of(chunk->head->kind, chunk->bytes));
	atomic_store(&chunk->head->kind, WIRE_FREE);
	/* 0, because the next owner adds to `used` */
	atomic_store(&chunk->head->used, 0);
	fill_zero(chunk->head + 1, WIRE_PAGE_BYTES - sizeof(*chunk->head));
	if (chunk->bytes > WIRE_PAGE_BYTES)
		part_file_give_back(at + WIRE_PAGE_BYTES,
				    chunk->bytes - WIRE_PAGE_BYTES);
}

void part_free(struct part *part, const struct chunk *chunk)
{
	uint64_t signals;

	lock_acquire(&part->lock, &signals);
	clear(part, chunk);
	if (part->unused_count < PART_FREE_MAX)
		part->unused[part->unused_count++] = *chunk;
	lock_release(&part->lock, &signals);
}

void part_retire(struct part *part, const struct chunk *chunk)
{
	uint64_t signals;

	lock_acquire(&part->lock, &signals);
	clear(part, chunk);
	lock_release(&part->lock, &signals);
}

void part_complete(const struct chunk *chunk)
{
	sys_madvise(chunk->head, chunk->bytes, MADV_DONTNEED);
}

/* Visits the chunks of a segment up to file offset `end`. */
static int each_in_segment(const struct segment *segment, uint64_t end,
			   uint32_t kind, part_visitor visit, void *context)
{
	uint64_t at = segment->offset ? segment->offset : WIRE_HEADER_BYTES;
	int result = 0;

	if (end > segment->offset + segment->bytes)
		end = segment->offset + segment->bytes;
	while (at < end && !result) {
		struct wire_chunk *head =
			(struct wire_chunk *)(segment->at +
					      (at - segment->offset));
		const struct chunk chunk = { .head = head,
					     .offset = at,
					     .bytes = head->bytes };

		if (!chunk.bytes || chunk.bytes % WIRE_PAGE_BYTES ||
		    chunk.bytes > end - at)
			return -EBADMSG;
		if (kind == PART_EVERY_KIND || head->kind == kind)
			result = visit(context, &chunk);
		at += chunk.bytes;
	}
	return result;
}

int part_each_chunk(const struct part *part, uint32_t kind, part_visitor visit,
		    void *context)
{
	const uint64_t end = __atomic_load_n(&part->end, __ATOMIC_ACQUIRE);
	const uint32_t count =
		__atomic_load_n(&part->file.segment_count, __ATOMIC_ACQUIRE);
	int result = 0;

	for (uint32_t i = 0; i < count && !result; i++)
		result = each_in_segment(&part->file.segments[i], end, kind,
					 visit, context);
	return result;
}

/* ---- The beginning and the end ---- */

static void begin_header(struct part *part, struct wire_header *header,
			 uint32_t pid, uint32_t seq)
{
	header->version = WIRE_VERSION;
	header->header_bytes = WIRE_HEADER_BYTES;
	header->end = WIRE_HEADER_BYTES;
	header->state = WIRE_STARTING;
	header->origin = seq ? WIRE_FROM_EXEC : WIRE_FROM_START;
	header->pid = pid;
	header->seq = seq;
	header->ppid = (uint32_t)sys_call(SYS_getppid, 0, 0, 0, 0, 0, 0);
	header->start_ns = sys_clock_ns(CLOCK_REALTIME);
	copy_bytes(header->magic, WIRE_MAGIC, sizeof(header->magic));
	part->header = header;
	part->end = WIRE_HEADER_BYTES;
}

/* Begins a part whose file, or private memory, exists. */
static int begin_part(struct part *part, uint32_t pid, uint32_t seq)
{
	uint64_t signals;
	void *header;
	int err;

	sys_block_signals(&signals);
	err = part_file_extend(&part->file, 0, WIRE_HEADER_BYTES, &header);
	sys_restore_signals(&signals);
	if (err)
		part_discard(part);
	else
		begin_header(part, header, pid, seq);
	return err;
}

int part_create(struct part *part, const char *dir)
{
	uint32_t pid = (uint32_t)sys_getpid(), seq = 0;
	int err;

	memory_bound_begin();
	err = part_file_create(&part->file, dir, pid, &seq);
	return err ? err : begin_part(part, pid, seq);
}

int part_create_beside(struct part *part, const struct part *other,
		       const char *suffix)
{
	int err = part_file_create_beside(&part->file, &other->file, suffix);

	return err ? err
		   : begin_part(part, other->header->pid, other->header->seq);
}

void part_create_nowhere(struct part *part)
{
	part->file.is_private = 1;
	fill_zero(&nowhere, sizeof(nowhere));
	begin_header(part, &nowhere, (uint32_t)sys_getpid(), 0);
}

void part_disable(struct part *part, const char *why)
{
	struct text text =
		text_in(part->header->why, sizeof(part->header->why));

	text_string(&text, why);
	atomic_store(&part->header->state, WIRE_DISABLED);
	part_finish(part);
}

void part_finish(struct part *part)
{
	uint64_t signals;

	lock_acquire(&part->lock, &signals);
	part_file_cut(&part->file, part->end);
	lock_release(&part->lock, &signals);
}

void part_abandon(struct part *part, int needs_header)
{
	part_file_blank(&part->file, needs_header ? WIRE_HEADER_BYTES : 0);
	fill_zero(part, sizeof(*part));
}

void part_discard(struct part *part)
{
	part_file_remove(&part->file);
	part_file_unmap(&part->file, 0);
	fill_zero(part, sizeof(*part));
}
