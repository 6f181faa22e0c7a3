/* SPDX-License-Identifier: MIT */
/* See part_packing.h. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/memory.h"
#include "base/varint.h"
#include "report/recording/packed_layout.h"
#include "report/recording/part_packing.h"
#include "wire/id.h"

/*
 * Higher levels of zstd make the parts of a compiler a few percent smaller, and
 * take much longer.
 */
enum { ZSTD_LEVEL = 1 };

struct packed_column {
	uint8_t *bytes;
	size_t count, capacity;
};

struct packer {
	const struct part_copy *part;
	struct packed_layout layout;
	struct packed_history history;
	struct packed_column columns[WIRE_PACKED_COLUMNS];
	/*
	 * For each entry of the tally's present table, the index + 1 of its
	 * context, or 0.
	 */
	uint32_t *owners;
	size_t owner_capacity;
	const struct packed_table *table; /* the present table, or NULL */
};

/* Makes room for `bytes` more bytes. */
static void column_reserve(struct packed_column *column, size_t bytes)
{
	if (column->capacity - column->count < bytes)
		column->bytes =
			memory_grown(column->bytes, column->count + bytes,
				     &column->capacity, 1);
}

/*
 * Makes room for `numbers` more numbers in all columns of LEB128 numbers, as
 * put() requires.
 */
static void reserve(struct packer *packer, size_t numbers)
{
	for (int i = WIRE_PACKED_SIZES; i <= WIRE_PACKED_CALLS; i++)
		column_reserve(&packer->columns[i], numbers * VARINT_MOST);
}

static void put(struct packer *packer, enum wire_packed_column number,
		uint64_t value)
{
	struct packed_column *column = &packer->columns[number];
	uint8_t *at = column->bytes + column->count;

	column->count += (size_t)(varint_put(at, value) - at);
}

static void put_bytes(struct packer *packer, enum wire_packed_column number,
		      const void *bytes, size_t count)
{
	struct packed_column *column = &packer->columns[number];

	column_reserve(column, count);
	memcpy(column->bytes + column->count, bytes, count);
	column->count += count;
}

/* ---- Entries of the present table ---- */

static void begin_table(struct packer *packer, const struct packed_table *table)
{
	const size_t entries = (size_t)table->mask + 1;

	packer->table = NULL;
	if (!table->entries)
		return;
	if (packer->owner_capacity < entries) {
		free(packer->owners);
		packer->owners = memory_zeroed(entries, sizeof(uint32_t));
		packer->owner_capacity = entries;
	}
	memset(packer->owners, 0, entries * sizeof(uint32_t));
	packer->table = table;
}

static void prefetch_entry(const struct packer *packer, uint64_t id)
{
	const uint64_t home = wire_count_home(id, packer->table->mask);

	__builtin_prefetch(&packed_entries(packer->part, packer->table)[home]);
	__builtin_prefetch(&packer->owners[home]);
}

/*
 * Returns the index + 1 of an id's entry, or 0. An entry that is far from its
 * home, as few are, is not found and is put with its id. A hostile table thus
 * takes no more time than another one.
 */
static size_t find_entry(const struct packer *packer, uint64_t id)
{
	enum { ENTRIES_SEARCHED = 64 };
	const struct packed_table *table = packer->table;
	const struct wire_count *counts;
	uint64_t at;

	if (!table)
		return 0;
	counts = packed_entries(packer->part, table);
	at = wire_count_home(id, table->mask);
	for (int i = 0; i < ENTRIES_SEARCHED && counts[at].id; i++) {
		if (counts[at].id == id && wire_is_counted(&counts[at]))
			return (size_t)at + 1;
		at = (at + 1) & table->mask;
	}
	return 0;
}

static void put_entry(struct packer *packer, size_t entry, uint64_t code)
{
	put(packer, WIRE_PACKED_CALLS, code);
	if (packer->table->times_bytes)
		put_bytes(packer, WIRE_PACKED_TIMES,
			  packed_times(packer->part, packer->table, entry),
			  sizeof(struct wire_times));
}

/*
 * Puts the calls of the context with this index. If two contexts have one id,
 * the entry belongs to the first.
 */
static void put_calls(struct packer *packer, size_t index)
{
	const size_t entry =
		find_entry(packer, packer->history.contexts[index].id);

	if (!packer->table)
		return;
	if (!entry || packer->owners[entry - 1]) {
		put(packer, WIRE_PACKED_CALLS, 0);
		return;
	}
	packer->owners[entry - 1] = (uint32_t)index + 1;
	put_entry(packer, entry - 1,
		  wire_calls(&packed_entries(packer->part,
					     packer->table)[entry - 1]) +
			  1);
}

/* Puts the entries that belong to no context. */
static void put_others(struct packer *packer)
{
	const struct packed_table *table = packer->table;
	const struct wire_count *counts;
	size_t others = 0;

	if (!table)
		return;
	counts = packed_entries(packer->part, table);
	for (size_t i = 0; i <= table->mask; i++)
		others += wire_is_counted(&counts[i]) && !packer->owners[i];
	reserve(packer, others + 1);
	put(packer, WIRE_PACKED_CALLS, others);
	for (size_t i = 0; others && i <= table->mask; i++)
		if (wire_is_counted(&counts[i]) && !packer->owners[i]) {
			put_entry(packer, i, wire_calls(&counts[i]));
			put_bytes(packer, WIRE_PACKED_ODDS, &counts[i].id,
				  sizeof(counts[i].id));
		}
}

/* ---- Contexts ---- */

/*
 * Returns the index + 1 of the context with this id, or 0. The previous context
 * and its callers are tried first, because most new contexts are entered while
 * those are active. Other contexts are found only if they have an entry.
 */
static uint32_t find_caller(const struct packer *packer, uint64_t id)
{
	enum { CALLERS_TRIED = 8 };
	const struct packed_context *contexts = packer->history.contexts;
	uint32_t at = (uint32_t)packer->history.count;
	size_t entry;

	for (int i = 0; at && i < CALLERS_TRIED; i++) {
		if (contexts[at - 1].id == id)
			return at;
		at = contexts[at - 1].caller;
	}
	entry = id ? find_entry(packer, id) : 0;
	return entry ? packer->owners[entry - 1] : 0;
}

static void put_site(struct packer *packer, uint32_t function, uint32_t caller,
		     uint64_t site)
{
	struct packed_history *history = &packer->history;
	uint64_t *latest = packed_latest_site(history, function, caller);

	put(packer, WIRE_PACKED_SITES, *latest != site);
	if (*latest == site)
		return;
	put(packer, WIRE_PACKED_SITES, zigzag_long(history->site, site));
	history->site = *latest = site;
}

static void put_context(struct packer *packer,
			const struct wire_context *context)
{
	struct packed_history *history = &packer->history;
	const uint64_t caller_id =
		id_pop(wire_context_id(context), id_key(context->function));
	const uint32_t caller = find_caller(packer, caller_id);

	put(packer, WIRE_PACKED_CALLERS,
	    caller ? history->count + 1 - caller : 0);
	if (!caller)
		put_bytes(packer, WIRE_PACKED_ODDS, &caller_id,
			  sizeof(caller_id));
	put(packer, WIRE_PACKED_FUNCTIONS,
	    zigzag(history->function, context->function));
	put(packer, WIRE_PACKED_DEPTHS,
	    zigzag(packed_depth(history, caller), context->depth));
	put_site(packer, context->function, caller, context->site);
	packed_history_add(history, context, caller);
	put_calls(packer, history->count - 1);
}

static void prefetch_context(const struct packer *packer,
			     const struct wire_context *context)
{
	prefetch_entry(packer, context->id);
	prefetch_entry(packer, id_pop(wire_context_id(context),
				      id_key(context->function)));
}

static void put_chunk(struct packer *packer, const struct packed_chunk *chunk)
{
	enum { AHEAD = 8 };
	const struct wire_context *contexts = packed_contexts(
		packer->part, chunk->offset + sizeof(struct wire_chunk));
	const size_t slots = packed_slots(chunk);
	const size_t before = packer->history.count;

	reserve(packer, 2 * slots + 1);
	for (size_t i = 0; i < slots; i++) {
		if (i + AHEAD < slots && packer->table)
			prefetch_context(packer, &contexts[i + AHEAD]);
		if (contexts[i].id)
			put_context(packer, &contexts[i]);
	}
	put(packer, WIRE_PACKED_SIZES, packer->history.count - before);
}

static void put_tally(struct packer *packer, const struct packed_tally *tally)
{
	struct packed_history *history = &packer->history;

	begin_table(packer, &tally->tables[0]);
	packed_history_begin(history, packer->part, tally);
	reserve(packer, history->count);
	for (size_t i = 0; i < history->count; i++)
		put_calls(packer, i);
	for (size_t i = 0; i < tally->chunk_count; i++)
		put_chunk(packer, &tally->chunks[i]);
	put_others(packer);
	begin_table(packer, &tally->tables[1]);
	reserve(packer, history->count);
	for (size_t i = 0; i < history->count; i++)
		put_calls(packer, i);
	put_others(packer);
}

/* ---- The file ---- */

static int write_at(int fd, const void *bytes, size_t count, uint64_t at)
{
	const ssize_t put = pwrite(fd, bytes, count, (off_t)at);

	return put == (ssize_t)count ? 0 : put < 0 ? -errno : -ENOSPC;
}

/* Turns bytes of the file into zeros, and whole pages of them into a hole. */
static int punch(int fd, size_t from, size_t bytes)
{
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			 (off_t)from, (off_t)bytes) == 0
		       ? 0
		       : -errno;
}

static int punch_tally(int fd, const struct packed_tally *tally)
{
	int err = 0;

	for (size_t i = 0; i < tally->chunk_count && !err; i++)
		err = punch(fd,
			    tally->chunks[i].offset + sizeof(struct wire_chunk),
			    packed_payload(&tally->chunks[i]));
	for (int i = 0; i < PACKED_TABLES && !err; i++)
		if (tally->tables[i].entries)
			err = punch(fd, packed_table_start(&tally->tables[i]),
				    packed_table_bytes(&tally->tables[i]));
	return err;
}

/*
 * Returns all columns one after another, with their sizes in *packed. The
 * caller must free() them.
 */
static uint8_t *join(const struct packer *packer, struct wire_packed *packed,
		     size_t *bytes)
{
	uint8_t *joined;
	size_t at = 0;

	*bytes = 0;
	for (int i = 0; i < WIRE_PACKED_COLUMNS; i++) {
		packed->column_bytes[i] = packer->columns[i].count;
		*bytes += packer->columns[i].count;
	}
	joined = memory_zeroed(*bytes + 1, 1);
	for (int i = 0; i < WIRE_PACKED_COLUMNS; i++) {
		if (packer->columns[i].count)
			memcpy(joined + at, packer->columns[i].bytes,
			       packer->columns[i].count);
		at += packer->columns[i].count;
	}
	return joined;
}

/*
 * Returns the WIRE_PACKED chunk, which the caller must free(); or NULL if the
 * columns exceed WIRE_PACKED_BYTES_MAX.
 */
static struct wire_chunk *make_chunk(const struct packer *packer)
{
	struct wire_packed packed;
	size_t bytes, frame;
	uint8_t *joined = join(packer, &packed, &bytes);
	const size_t room = ZSTD_compressBound(bytes);
	const size_t before = sizeof(struct wire_chunk) + sizeof(packed);
	struct wire_chunk *chunk = memory_zeroed(before + room + 8, 1);

	frame = ZSTD_compress((char *)chunk + before, room, joined, bytes,
			      ZSTD_LEVEL);
	free(joined);
	if (ZSTD_isError(frame) || bytes > WIRE_PACKED_BYTES_MAX) {
		free(chunk);
		return NULL;
	}
	memcpy(chunk + 1, &packed, sizeof(packed));
	chunk->kind = WIRE_PACKED;
	chunk->used = sizeof(packed) + frame;
	chunk->bytes = (before + frame + 7) & ~(size_t)7;
	return chunk;
}

/* Returns whether the file is still the one of which `part` is a copy. */
static int is_same(const struct part_copy *part, int fd)
{
	struct wire_header now;

	return pread(fd, &now, sizeof(now), 0) == sizeof(now) &&
	       now.version == part->header->version &&
	       now.end == part->header->end && now.pid == part->header->pid &&
	       now.seq == part->header->seq &&
	       now.start_ns == part->header->start_ns;
}

/*
 * Writes the chunk behind the end of the part. On failure, gives the blocks of
 * the disk back.
 */
static int append(int fd, const struct wire_chunk *chunk, uint64_t at)
{
	struct stat status;
	int err = fstat(fd, &status) != 0 ? -errno : 0;

	if (!err)
		err = punch(fd, at, chunk->bytes);
	if (err)
		return err;
	err = write_at(fd, chunk, chunk->bytes, at);
	if (err) {
		punch(fd, at, chunk->bytes);
		if (ftruncate(fd, status.st_size) != 0)
			return -errno;
	}
	return err;
}

/*
 * Changes the file in steps, after each of which a reader finds a complete
 * part. It skips the new chunk until the version says that the chunk is valid,
 * and ignores the bytes of the holes from then on.
 */
static int write_packed(const struct packer *packer, int fd,
			const struct wire_chunk *chunk)
{
	const uint64_t at = packer->part->header->end;
	const uint64_t end = at + chunk->bytes;
	const uint32_t version = WIRE_VERSION_PACKED;
	int err = is_same(packer->part, fd) ? append(fd, chunk, at) : -ESTALE;

	if (!err)
		err = write_at(fd, &end, sizeof(end),
			       offsetof(struct wire_header, end));
	if (!err)
		err = write_at(fd, &version, sizeof(version),
			       offsetof(struct wire_header, version));
	for (size_t i = 0; i < packer->layout.tally_count && !err; i++)
		err = punch_tally(fd, &packer->layout.tallies[i]);
	return err;
}

/* Writes the columns to the file if it becomes smaller. */
static int finish(const struct packer *packer, int fd)
{
	struct wire_chunk *chunk = make_chunk(packer);
	int err = -ENODATA;

	if (chunk && packer->layout.bytes > chunk->bytes)
		err = write_packed(packer, fd, chunk);
	free(chunk);
	return err;
}

static int is_packable(const struct part_copy *part)
{
	return !part->is_header && !part->damage && !part->is_packed &&
	       part->header->end % 8 == 0;
}

int part_pack(const struct part_copy *part, int fd)
{
	struct packer packer = { .part = part };
	int err = -ENODATA;

	if (!is_packable(part))
		return -ENODATA;
	packed_layout_init(&packer.layout, part);
	packed_history_init(&packer.history);
	if (packer.layout.bytes &&
	    packer.layout.bytes <= WIRE_PACKED_BYTES_MAX) {
		for (size_t i = 0; i < packer.layout.tally_count; i++)
			put_tally(&packer, &packer.layout.tallies[i]);
		err = finish(&packer, fd);
	}
	for (int i = 0; i < WIRE_PACKED_COLUMNS; i++)
		free(packer.columns[i].bytes);
	free(packer.owners);
	packed_history_fini(&packer.history);
	packed_layout_fini(&packer.layout);
	return err;
}
