/* SPDX-License-Identifier: MIT */
/*
 * jitdump: the binary log of generated code that perf defines. A header, then
 * records {id, bytes, time}: code was loaded, was moved, has these lines, has
 * this unwind information, the end. The writer's byte order is told by the
 * magic number.
 *
 * Lines come before the code they are about. The addresses in them are the
 * code's, but V8 adds 0x40, the size of the ELF header that perf will put
 * before the code; others do not. Nothing says which, so a file whose lines
 * all begin at 0x40 or later is one of V8's.
 */
#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolizer/a2n.h"
#include "symbolizer/cursor.h"

#define MAGIC         UINT32_C(0x4a695444)
#define LARGEST_BYTES (UINT64_C(1) << 32)

enum {
	HEADER_BYTES = 40,
	RECORD_BYTES = 16,
	LINE_BIAS = 0x40,
	LATEST = 256, /* loads that a move is looked for in */
};

enum record_id {
	CODE_LOAD,
	CODE_MOVE,
	CODE_DEBUG_INFO,
	CODE_CLOSE,
	CODE_UNWINDING_INFO,
};

/* Where some code is now, for moves. */
struct loaded {
	uint64_t index; /* the writer's number */
	uint64_t id;
};

struct reader {
	struct a2n_space *space;
	int is_swapped;
	uint64_t line_bias;
	struct a2n_read counts;
	struct loaded *loaded;
	size_t loaded_count, loaded_capacity;
	struct cursor lines; /* of the code that comes next */
	uint64_t lines_address;
};

static uint32_t read_u32(const struct reader *reader, struct cursor *cursor)
{
	uint32_t number = cursor_u32(cursor);

	return reader->is_swapped ? bswap_32(number) : number;
}

static uint64_t read_u64(const struct reader *reader, struct cursor *cursor)
{
	uint64_t number = cursor_u64(cursor);

	return reader->is_swapped ? bswap_64(number) : number;
}

/* ---- lines ---- */

struct line {
	uint64_t address;
	uint32_t line, discriminator;
	const char *file;
};

/* A name of 0xff alone is that of the line before. */
static int next_line(const struct reader *reader, struct cursor *cursor,
		     struct line *line)
{
	const char *file;

	line->address = read_u64(reader, cursor);
	line->line = read_u32(reader, cursor);
	line->discriminator = read_u32(reader, cursor);
	file = cursor_string(cursor);
	if (cursor->is_bad)
		return 0;
	if ((unsigned char)file[0] != 0xff || file[1] != '\0')
		line->file = file;
	return line->file != NULL;
}

static int add_lines(struct reader *reader, uint64_t id, uint64_t address)
{
	struct cursor cursor = reader->lines;
	uint64_t count;
	struct line line = { 0 };
	int err = 0;

	if (!cursor.at || reader->lines_address != address)
		return 0;
	reader->lines.at = NULL;
	count = read_u64(reader, &cursor);
	for (uint64_t i = 0; i < count && !err; i++) {
		if (!next_line(reader, &cursor, &line)) {
			reader->counts.malformed++;
			break;
		}
		if (line.address < address + reader->line_bias)
			continue;
		err = a2n_space_add_line(
			reader->space, id,
			line.address - address - reader->line_bias, line.file,
			line.line, line.discriminator);
	}
	return err;
}

/* ---- records ---- */

static int remember(struct reader *reader, uint64_t index, uint64_t id)
{
	struct loaded *grown;

	if (reader->loaded_count == reader->loaded_capacity) {
		reader->loaded_capacity = reader->loaded_capacity
						  ? reader->loaded_capacity * 2
						  : 256;
		grown = reallocarray(reader->loaded, reader->loaded_capacity,
				     sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		reader->loaded = grown;
	}
	reader->loaded[reader->loaded_count++] = (struct loaded){ index, id };
	return 0;
}

static int read_load(struct reader *reader, struct cursor *cursor,
		     uint64_t time)
{
	struct a2n_code code;
	uint64_t index, id;
	int err;

	read_u32(reader, cursor); /* pid */
	read_u32(reader, cursor); /* tid */
	read_u64(reader, cursor); /* vma: where it runs is what counts */
	code.start = read_u64(reader, cursor);
	code.bytes = read_u64(reader, cursor);
	index = read_u64(reader, cursor);
	code.name = cursor_string(cursor);
	if (cursor->is_bad || code.bytes == 0 ||
	    code.bytes > UINT64_MAX - code.start) {
		reader->counts.malformed++;
		return 0;
	}
	reader->counts.records++;
	err = a2n_space_add(reader->space, &code, time, &id);
	if (!err)
		err = remember(reader, index, id);
	return err ? err : add_lines(reader, id, code.start);
}

/*
 * Writers number their code as they go, so the numbers ascend; where they do
 * not, only the latest are looked through, lest a forged file take forever.
 */
static const struct loaded *find_loaded(const struct reader *reader,
					uint64_t index)
{
	size_t low = 0, high = reader->loaded_count;

	for (size_t i = high; i-- > 0 && high - i <= LATEST;) {
		if (reader->loaded[i].index == index)
			return &reader->loaded[i];
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (reader->loaded[middle].index <= index)
			low = middle + 1;
		else
			high = middle;
	}
	return low && reader->loaded[low - 1].index == index
		       ? &reader->loaded[low - 1]
		       : NULL;
}

static int read_move(struct reader *reader, struct cursor *cursor,
		     uint64_t time)
{
	const struct loaded *loaded;
	uint64_t start, index;

	read_u32(reader, cursor); /* pid */
	read_u32(reader, cursor); /* tid */
	read_u64(reader, cursor); /* vma */
	read_u64(reader, cursor); /* where it was */
	start = read_u64(reader, cursor);
	read_u64(reader, cursor); /* size, which does not change */
	index = read_u64(reader, cursor);
	loaded = cursor->is_bad ? NULL : find_loaded(reader, index);
	if (loaded) {
		reader->counts.records++;
		return a2n_space_move(reader->space, loaded->id, start, time) ==
				       -ENOMEM
			       ? -ENOMEM
			       : 0;
	}
	reader->counts.malformed++; /* of code that was never loaded */
	return 0;
}

static void read_debug_info(struct reader *reader, struct cursor *cursor)
{
	reader->lines_address = read_u64(reader, cursor);
	reader->lines = *cursor;
	if (cursor->is_bad)
		reader->counts.malformed++;
	else
		reader->counts.records++;
}

static int read_record(struct reader *reader, uint32_t id,
		       struct cursor *cursor, uint64_t time)
{
	switch (id) {
	case CODE_LOAD:
		return read_load(reader, cursor, time);
	case CODE_MOVE:
		return read_move(reader, cursor, time);
	case CODE_DEBUG_INFO:
		read_debug_info(reader, cursor);
		return 0;
	case CODE_CLOSE:
	case CODE_UNWINDING_INFO:
		reader->counts.records++;
		return 0;
	default:
		reader->counts.unknown++;
		return 0;
	}
}

/* The next record: its id, or -1 at the end. A writer may have been killed. */
static int next_record(struct reader *reader, struct cursor *file,
		       struct cursor *record, uint64_t *time)
{
	uint32_t id, bytes;

	if (file->is_bad || cursor_left(file) == 0)
		return -1;
	id = read_u32(reader, file);
	bytes = read_u32(reader, file);
	*time = read_u64(reader, file);
	if (file->is_bad || bytes < RECORD_BYTES) {
		reader->counts.malformed++;
		return -1;
	}
	*record = cursor_part(file, bytes - RECORD_BYTES);
	if (record->is_bad) {
		reader->counts.malformed++;
		return -1;
	}
	return id > INT32_MAX ? INT32_MAX : (int)id;
}

/* Whether the lines of every record begin at the bias or later. */
static int find_bias(struct reader *reader, struct cursor file)
{
	struct a2n_read counts = reader->counts;
	struct cursor record;
	uint64_t time;
	int id, seen = 0;

	while ((id = next_record(reader, &file, &record, &time)) >= 0) {
		uint64_t address, count;
		struct line line = { 0 };

		if (id != CODE_DEBUG_INFO)
			continue;
		address = read_u64(reader, &record);
		count = read_u64(reader, &record);
		for (uint64_t i = 0;
		     i < count && next_line(reader, &record, &line); i++) {
			seen = 1;
			if (line.address - address < LINE_BIAS) {
				reader->counts = counts;
				return 0;
			}
		}
	}
	reader->counts = counts;
	return seen;
}

static int read_all(struct reader *reader, struct span bytes)
{
	struct cursor cursor = cursor_at(bytes, 0);
	struct cursor record;
	uint32_t magic = cursor_u32(&cursor);
	uint32_t header_bytes;
	uint64_t time;
	int id, err = 0;

	reader->is_swapped = magic == bswap_32(MAGIC);
	if (magic != MAGIC && !reader->is_swapped)
		return -EBADMSG;
	read_u32(reader, &cursor); /* version: 1 is the only one */
	header_bytes = read_u32(reader, &cursor);
	if (cursor.is_bad || header_bytes < HEADER_BYTES ||
	    header_bytes > bytes.bytes)
		return -EBADMSG;
	cursor = cursor_at(bytes, header_bytes);
	reader->line_bias = find_bias(reader, cursor) ? LINE_BIAS : 0;
	while (!err && (id = next_record(reader, &cursor, &record, &time)) >= 0)
		err = read_record(reader, (uint32_t)id, &record, time);
	return err;
}

/* The whole file in memory: the writer may still be at work on it. */
static int slurp(const char *path, struct span *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	uint8_t *bytes;
	size_t count = 0;
	ssize_t got = 1;
	int err;

	if (fd < 0)
		return -errno;
	err = -EBADMSG;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
	    (uint64_t)status.st_size > LARGEST_BYTES)
		goto close;
	err = -ENOMEM;
	bytes = malloc((size_t)status.st_size + 1);
	if (!bytes)
		goto close;
	while (count < (size_t)status.st_size && got > 0) {
		got = pread(fd, bytes + count, (size_t)status.st_size - count,
			    (off_t)count);
		count += got > 0 ? (size_t)got : 0;
	}
	*out = (struct span){ bytes, count };
	err = 0;
close:
	close(fd);
	return err;
}

int a2n_space_read_jitdump(struct a2n_space *space, const char *path,
			   struct a2n_read *out)
{
	struct reader reader = { .space = space };
	struct span bytes = { 0 };
	int err = slurp(path, &bytes);

	if (err)
		return err;
	err = read_all(&reader, bytes);
	free(reader.loaded);
	free((void *)bytes.at);
	if (!err && out)
		*out = reader.counts;
	return err;
}
