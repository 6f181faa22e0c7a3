/* SPDX-License-Identifier: MIT */
/*
 * Jitdump, perf's binary description of generated code: a header, then records
 * with kind, length and time. All numbers are in the byte order of the writer's
 * machine, which the magic number shows.
 *
 *	header   magic "JiTD", version, bytes, machine, 0, pid, time, flags
 *	record   kind, bytes, time, then by kind:
 *	  load      pid, tid, vma, address, size, index, name NUL, the code
 *	  move      pid, tid, vma, old address, new address, size, index
 *	  debug     address, n, n times (address, line, discriminator, file NUL)
 *	  close     nothing
 *	  unwinding sizes, then tables
 *
 * A debug record precedes the load record of its code, but not always directly,
 * because threads may compile at the same time. The file name 0xff means the
 * previous one.
 *
 * Perf writes the code into ELF files at offset 0x40. Some writers anticipate
 * this and write addresses of lines that are 0x40 too high (node does, erlang
 * does not). The file does not say which, but such lines lie outside their
 * code. Therefore the file is read twice, the first time to determine the bias.
 *
 * Lengths are not trusted. An incomplete record is the last one. A record with
 * invalid content is skipped by its length.
 */
#include "symbolizer/space/jitdump.h"

#include <errno.h>
#include <stdlib.h>

enum {
	MAGIC = 0x4a695444,
	VERSION = 1,
	HEADER_BYTES = 40,
	RECORD_BYTES = 16,
	LONGEST_NAME = 1 << 20,
	LONGEST_DEBUG = 1 << 24,
};

enum kind { LOAD, MOVE, DEBUG_INFO, CLOSE, UNWINDING_INFO };

/* Offsets of fields. */
enum {
	LOAD_ADDRESS = 32,
	LOAD_SIZE = 40,
	LOAD_INDEX = 48,
	LOAD_NAME = 56,
	MOVE_NEW_ADDRESS = 40,
	MOVE_INDEX = 56,
	MOVE_BYTES = 64,
	DEBUG_ADDRESS = 16,
};

/*
 * ---- records: return 0, -EINVAL to skip a malformed one, or another error
 * ----
 */

/* Stores a debug record; `record` has all of its bytes. */
static int keep_debug(struct jitdump *dump, const uint8_t *record, size_t bytes)
{
	struct jitdump_debug *slot =
		&dump->pending[dump->next_pending++ % JITDUMP_PENDING];
	char *copy;

	if (bytes < JITDUMP_DEBUG_BYTES)
		return -EINVAL;
	copy = malloc(bytes + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, record, bytes);
	copy[bytes] = '\0';
	free(slot->record);
	*slot = (struct jitdump_debug){ .address = jitdump_u64(
						dump, copy + DEBUG_ADDRESS),
					.bytes = bytes,
					.record = copy };
	return 0;
}

/* Returns the newest debug record for code at that address, or NULL. */
static struct jitdump_debug *find_debug(struct jitdump *dump, uint64_t address)
{
	for (size_t i = 1; i <= JITDUMP_PENDING; i++) {
		struct jitdump_debug *slot =
			&dump->pending[(dump->next_pending - i) %
				       JITDUMP_PENDING];

		if (slot->record && slot->address == address)
			return slot;
	}
	return NULL;
}

static void drop_debug(struct jitdump_debug *slot)
{
	free(slot->record);
	*slot = (struct jitdump_debug){ 0 };
}

static int load(struct jitdump *dump, const uint8_t *record, size_t bytes)
{
	struct a2n_code code = { 0 };
	struct jitdump_debug *debug;
	uint64_t time, id;
	int err;

	if (bytes <= LOAD_NAME ||
	    !memchr(record + LOAD_NAME, 0, bytes - LOAD_NAME))
		return -EINVAL;
	time = jitdump_u64(dump, record + 8);
	code.start = jitdump_u64(dump, record + LOAD_ADDRESS);
	code.bytes = jitdump_u64(dump, record + LOAD_SIZE);
	code.name = (const char *)record + LOAD_NAME;
	debug = find_debug(dump, code.start);
	if (dump->space) {
		err = a2n_space_add(dump->space, &code, time, &id);
		if (!err && debug)
			err = jitdump_add_lines(dump, debug, &code, id);
		if (!err)
			err = table_set(&dump->ids,
					jitdump_u64(dump, record + LOAD_INDEX),
					id);
	} else {
		err = 0;
		if (debug)
			jitdump_learn_bias(dump, debug, &code);
	}
	if (debug)
		drop_debug(debug);
	return err;
}

static int move(struct jitdump *dump, const uint8_t *record, size_t bytes)
{
	uint64_t id;

	if (bytes < MOVE_BYTES)
		return -EINVAL;
	if (!dump->space)
		return 0;
	id = table_find(&dump->ids, jitdump_u64(dump, record + MOVE_INDEX));
	if (id == 0)
		return -EINVAL;
	return a2n_space_move(dump->space, id,
			      jitdump_u64(dump, record + MOVE_NEW_ADDRESS),
			      jitdump_u64(dump, record + 8));
}

/* Returns how many of a record's bytes have to be in memory. */
static size_t wanted_of(uint32_t kind, uint32_t bytes)
{
	switch (kind) {
	case LOAD:
		return bytes < LOAD_NAME + LONGEST_NAME
			       ? bytes
			       : LOAD_NAME + LONGEST_NAME;
	case MOVE:
		return bytes < MOVE_BYTES ? bytes : MOVE_BYTES;
	case DEBUG_INFO:
		return bytes;
	default:
		return RECORD_BYTES;
	}
}

static int read_body(struct jitdump *dump, uint32_t kind, uint32_t bytes)
{
	size_t wanted = wanted_of(kind, bytes);
	uint8_t *record;

	if (kind == DEBUG_INFO && bytes > LONGEST_DEBUG)
		return -EINVAL;
	if (feed_peek(&dump->feed, wanted, &record) < wanted)
		return dump->feed.err ? dump->feed.err : -EINVAL;
	switch (kind) {
	case LOAD:
		return load(dump, record, wanted);
	case MOVE:
		return move(dump, record, wanted);
	case DEBUG_INFO:
		return keep_debug(dump, record, wanted);
	default:
		return 0;
	}
}

/* Reads one record. Sets *is_last if nothing more can be read. */
static int read_record(struct jitdump *dump, int *is_last)
{
	uint8_t *record;
	uint32_t kind, bytes;
	int err;

	*is_last = 1;
	if (feed_peek(&dump->feed, RECORD_BYTES, &record) < RECORD_BYTES) {
		dump->read.malformed++;
		return dump->feed.err;
	}
	kind = jitdump_u32(dump, record);
	bytes = jitdump_u32(dump, record + 4);
	if (bytes < RECORD_BYTES || !feed_has(&dump->feed, bytes)) {
		dump->read.malformed++;
		return 0;
	}
	*is_last = 0;
	err = read_body(dump, kind, bytes);
	feed_skip(&dump->feed, bytes);
	if (err && err != -EINVAL)
		return err;
	if (err)
		dump->read.malformed++;
	else if (kind > UNWINDING_INFO)
		dump->read.unknown++;
	else
		dump->read.records++;
	return 0;
}

/* Reads the header and moves the cursor to the first record. */
static int read_header(struct jitdump *dump)
{
	uint8_t *header;
	uint32_t magic, bytes;

	if (feed_peek(&dump->feed, HEADER_BYTES, &header) < HEADER_BYTES)
		return dump->feed.err ? dump->feed.err : -EBADMSG;
	dump->is_swapped = 0;
	magic = jitdump_u32(dump, header);
	if (magic != MAGIC && __builtin_bswap32(magic) != MAGIC)
		return -EBADMSG;
	dump->is_swapped = magic != MAGIC;
	bytes = jitdump_u32(dump, header + 8);
	if (jitdump_u32(dump, header + 4) != VERSION || bytes < HEADER_BYTES)
		return -EBADMSG;
	feed_skip(&dump->feed, bytes);
	return 0;
}

/* Reads all records; adds them to the space if there is one. */
static int read_all(struct jitdump *dump)
{
	int is_last = 0, err = read_header(dump);

	while (!err && !is_last && !feed_is_over(&dump->feed))
		err = read_record(dump, &is_last);
	for (size_t i = 0; i < JITDUMP_PENDING; i++)
		drop_debug(&dump->pending[i]);
	dump->next_pending = 0;
	return err ? err : dump->feed.err;
}

int a2n_space_read_jitdump(struct a2n_space *space, const char *path,
			   struct a2n_read *out)
{
	struct jitdump dump = { 0 };
	int err = feed_open(&dump.feed, path);

	if (err)
		return err;
	err = read_all(&dump);
	if (!err) {
		feed_rewind(&dump.feed);
		dump.read = (struct a2n_read){ 0 };
		dump.space = space;
		err = read_all(&dump);
	}
	feed_close(&dump.feed);
	table_fini(&dump.ids);
	if (!err && out)
		*out = dump.read;
	return err;
}
