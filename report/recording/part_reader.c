/* SPDX-License-Identifier: MIT */
/* See part_reader.h. */
#include "report/recording/part_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/live_read.h"
#include "base/memory.h"
#include "base/regular_file.h"
#include "report/recording/inherited_reader.h"
#include "report/recording/part_counters.h"
#include "report/recording/part_packing.h"

/*
 * How often a part is copied again because a tally's tables have moved
 * meanwhile.
 */
enum { COPY_ATTEMPTS = 8 };

static int open_regular(const char *path, char **why)
{
	int fd = regular_file_open(path, O_RDONLY);

	if (fd == -EINVAL)
		return fail(why, -ENOEXEC, "%s is not a recording", path);
	return fd < 0 ? fail(why, fd, "%s: %s", path, strerror(-fd)) : fd;
}

/*
 * Copies the bytes [from, to) of the file to the same offsets of `bytes`.
 * Returns the offset up to which it could be read.
 */
static size_t copy_range(int fd, unsigned char *bytes, size_t from, size_t to)
{
	const ssize_t got =
		from < to ? live_read(fd, bytes + from, to - from, (off_t)from)
			  : 0;

	return got > 0 ? from + (size_t)got : from;
}

/*
 * Copies the file's data below offset `size`, but no holes, if the file system
 * reports them. Returns the offset up to which the file could be read.
 */
static size_t copy_data(int fd, unsigned char *bytes, size_t size)
{
	size_t at = 0;

	while (at < size) {
		off_t data = lseek(fd, (off_t)at, SEEK_DATA);
		off_t hole = lseek(fd, (off_t)at, SEEK_HOLE);
		size_t stop = size, copied;

		if (data < 0 && errno == ENXIO)
			return size; /* only a hole follows up to the end */
		if (data > (off_t)at && (size_t)data >= size)
			return size;
		if (data > (off_t)at) {
			at = (size_t)data;
			continue;
		}
		if (hole > (off_t)at && (size_t)hole < size)
			stop = (size_t)hole;
		copied = copy_range(fd, bytes, at, stop);
		if (copied < stop)
			return copied;
		at = stop;
	}
	return size;
}

/*
 * Bytes that are read at once for a chunk's header, because small chunks follow
 * whose headers are needed too.
 */
#define OUTLINE_BYTES 4096

/* State of a copy that grows chunk by chunk. */
struct outline {
	int fd;
	unsigned char *bytes;
	size_t copied;
};

/*
 * Copies the bytes up to `end` that were not copied yet, at the earliest from
 * offset `from` on. Returns whether the file has all of them.
 */
static int outline_reach(struct outline *outline, size_t from, size_t end)
{
	if (outline->copied < from)
		outline->copied = from;
	if (outline->copied < end)
		outline->copied = copy_range(outline->fd, outline->bytes,
					     outline->copied, end);
	return outline->copied >= end;
}

static size_t at_most(size_t bytes, size_t left)
{
	return bytes < left ? bytes : left;
}

/*
 * Copies the headers of all chunks from offset `from` on, and the payload of
 * chunks whose kind is in the set `kinds`. Returns the offset up to which the
 * file could be read.
 */
static size_t copy_outline(int fd, unsigned char *bytes, size_t from,
			   size_t size, uint64_t kinds)
{
	struct outline outline = { fd, bytes, from };
	const struct wire_chunk *chunk;

	for (size_t at = from; at < size && size - at >= sizeof(*chunk);
	     at += chunk->bytes) {
		const size_t left = size - at;

		chunk = (const void *)(bytes + at);
		if (!outline_reach(&outline, at,
				   at + at_most(OUTLINE_BYTES, left)))
			return outline.copied;
		if (chunk->kind < WIRE_CHUNK_KIND_COUNT &&
		    kinds & PART_KIND(chunk->kind) &&
		    !outline_reach(&outline, at,
				   at + at_most(chunk->bytes, left)))
			return outline.copied;
		if (chunk->bytes < sizeof(*chunk) || chunk->bytes % 8 != 0 ||
		    chunk->bytes > left)
			break;
	}
	return size;
}

static int chunk_at(const struct part_copy *part, uint64_t offset, size_t end,
		    struct part_chunk *out)
{
	const struct wire_chunk *chunk;
	size_t left;

	if (offset > end || end - offset < sizeof(*chunk))
		return 0;
	chunk = (const void *)(part->bytes + offset);
	left = end - offset - sizeof(*chunk);
	if (chunk->bytes < sizeof(*chunk) || chunk->bytes % 8 != 0)
		return 0;
	if (left > chunk->bytes - sizeof(*chunk))
		left = chunk->bytes - sizeof(*chunk);
	*out = (struct part_chunk){
		.kind = chunk->kind,
		.owner = chunk->owner,
		.offset = offset,
		.bytes = chunk->bytes,
		.used_bytes = chunk->used < left ? chunk->used : left,
		.payload = part->bytes + offset + sizeof(*chunk),
		.payload_bytes = left,
	};
	return 1;
}

/*
 * Reads the chunk at *cursor, which lies before offset `end` of the copy, and
 * advances the cursor; if the copy ends inside of the chunk, to `end`. Returns
 * 0 if there is no valid chunk.
 */
static int next_before(const struct part_copy *part, uint64_t *cursor,
		       size_t end, struct part_chunk *out)
{
	if (!chunk_at(part, *cursor, end, out))
		return 0;
	*cursor = out->payload_bytes + sizeof(struct wire_chunk) < out->bytes
			  ? end
			  : *cursor + out->bytes;
	return 1;
}

int part_next_chunk(const struct part_copy *part, uint64_t *cursor,
		    struct part_chunk *out)
{
	if (*cursor == 0)
		*cursor = part->header->header_bytes;
	if (*cursor <= part->size_bytes &&
	    next_before(part, cursor, part->size_bytes, out))
		return 1;
	if (*cursor < part->inherited_at)
		*cursor = part->inherited_at;
	return next_before(part, cursor,
			   part->inherited_at + part->inherited_bytes, out);
}

/* Checks all chunks. Sets `damage` if the part is truncated or damaged. */
static void check_chunks(struct part_copy *part, uint64_t end)
{
	struct part_chunk chunk;
	uint64_t cursor = 0, last = part->header->header_bytes;

	while (part_next_chunk(part, &cursor, &chunk)) {
		last = chunk.offset + chunk.bytes;
		part->unknown_chunks += chunk.kind >= WIRE_CHUNK_KIND_COUNT;
	}
	if (end > part->size_bytes)
		part->damage =
			memory_printf("truncated at byte %zu of %" PRIu64,
				      part->size_bytes, end);
	else if (last != end)
		part->damage = memory_printf("damaged at byte %" PRIu64, last);
	else if (part->dropped_counters)
		part->damage = memory_printf(
			"damaged: %u counter%s of its header %s impossible",
			part->dropped_counters,
			text_plural(part->dropped_counters),
			part->dropped_counters == 1 ? "is" : "are");
}

static int fail_version(uint32_t version, const char *path, char **why)
{
	return fail(why, -EPROTO,
		    "%s: format version %" PRIu32
		    ", but this clew reads versions %d to %d",
		    path, version, WIRE_VERSION_OLDEST, WIRE_VERSION_PACKED);
}

static int check_header(const struct wire_header *header, size_t file_bytes,
			const char *path, char **why)
{
	static const char none[sizeof(header->magic)];

	/*
	 * If the file or its header is empty, the process was killed before it
	 * could write the header, or has not written it yet.
	 */
	if (!file_bytes || (file_bytes >= sizeof(none) &&
			    memcmp(header->magic, none, sizeof(none)) == 0))
		return fail(why, -ENODATA,
			    "%s: the file is empty (the process was killed, or "
			    "has just started)",
			    path);
	if (file_bytes < sizeof(none) ||
	    memcmp(header->magic, WIRE_MAGIC, sizeof(header->magic)) != 0)
		return fail(why, -ENOEXEC, "%s is not a recording", path);
	if (file_bytes < sizeof(*header))
		return fail(why, -EBADMSG, "%s: the header is truncated", path);
	if (!wire_version_is_read(header->version))
		return fail_version(header->version, path, why);
	if (header->header_bytes < sizeof(*header) ||
	    header->header_bytes % 8 != 0)
		return fail(why, -EBADMSG, "%s: the header is damaged", path);
	return 0;
}

/*
 * Returns whether counts were moved in the file since the part was copied: they
 * were packed, or the references to a tally's tables have changed.
 */
static int has_moved(const struct part_copy *part, int fd)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;
	uint64_t now[2];
	uint32_t version;

	if (!part->is_packed &&
	    live_read(fd, &version, sizeof(version),
		      offsetof(struct wire_header, version)) ==
		    sizeof(version) &&
	    version == WIRE_VERSION_PACKED)
		return 1;
	while (part_next_chunk(part, &cursor, &chunk)) {
		off_t at = (off_t)(chunk.offset + sizeof(struct wire_chunk));

		if (chunk.kind != WIRE_TALLY ||
		    chunk.payload_bytes < sizeof(now))
			continue;
		if (live_read(fd, now, sizeof(now), at) == sizeof(now) &&
		    memcmp(now, chunk.payload, sizeof(now)) != 0)
			return 1;
	}
	return 0;
}

/*
 * If the process has no first moment, because clew has detached before counting
 * began, clears the latest moment too, which some versions of clew have set
 * nevertheless.
 */
static void forget_moments(struct wire_header *header)
{
	if (!header->first.ns)
		header->first = header->latest = (struct wire_moment){ 0 };
}

/*
 * Reads and checks the header, and sets *size to the number of used bytes of
 * the file. The process extends the file before it increases `end`, so the
 * header is read before the file's size. Returns 0, or -errno and *why.
 */
static int read_header(int fd, const char *path, struct wire_header *header,
		       size_t *size, char **why)
{
	struct stat status;
	ssize_t got;
	int err;

	*header = (struct wire_header){ 0 };
	got = live_read(fd, header, sizeof(*header), 0);
	err = got < 0 ? (int)got : 0;
	if (!err && fstat(fd, &status) != 0)
		err = -errno;
	if (err)
		return fail(why, err, "%s: %s", path, strerror(-err));
	*size = (size_t)status.st_size;
	err = check_header(header, *size, path, why);
	if (err)
		return err;
	if (*size > header->end)
		*size = header->end;
	if (*size < sizeof(*header))
		return fail(why, -EBADMSG, "%s: the header is damaged", path);
	forget_moments(header);
	return 0;
}

/* Stores the header in the copy, after impossible counters were set to 0. */
static void put_header(struct part_copy *part, struct wire_header *header)
{
	part->dropped_counters = part_counters_drop(header);
	part->is_packed = header->version == WIRE_VERSION_PACKED;
	header->version = WIRE_VERSION;
	memcpy(part->bytes, header, sizeof(*header));
	part->header = (const void *)part->bytes;
}

/*
 * Copies the used bytes of the part: all, or only payloads of the kinds. *end
 * becomes the end of the part according to its header. Returns 0, or -errno and
 * *why.
 */
static int copy_part(struct part_copy *part, int fd, const char *path,
		     uint64_t kinds, uint64_t *end, char **why)
{
	struct wire_header header;
	size_t size;
	int err = read_header(fd, path, &header, &size, why);

	if (err)
		return err;
	part->bytes = calloc(1, size);
	if (!part->bytes)
		return fail(why, -ENOMEM, "%s: not enough memory to read it",
			    path);
	part->size_bytes =
		kinds == PART_KINDS_ALL
			? copy_data(fd, part->bytes, size)
			: copy_outline(fd, part->bytes, header.header_bytes,
				       size, kinds);
	put_header(part, &header);
	*end = header.end;
	return 0;
}

/* Returns the RUN of a file name "RUN-PID.SEQ.part"; 0 if the name has none. */
static uint32_t run_of(const char *name)
{
	char *end;
	unsigned long run = strtoul(name, &end, 10);

	return end > name && *end == '-' && run <= UINT32_MAX ? (uint32_t)run
							      : 0;
}

static void put_names(struct part_copy *part, const char *path)
{
	part->path = memory_printf("%s", path);
	part->name = memory_printf("%s", text_basename(path));
	text_printable(part->name);
	part->run = run_of(part->name);
}

static void read_inherited(struct part_copy *part)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	part->inherited_at = (part->size_bytes + 7) & ~(size_t)7;
	while (part_next_chunk(part, &cursor, &chunk) &&
	       chunk.offset < part->size_bytes)
		if (chunk.kind == WIRE_INHERITED)
			inherited_read(part,
				       (size_t)(chunk.payload - part->bytes),
				       part_chunk_used(&chunk) /
					       sizeof(struct wire_inherited));
}

/* Unpacks packed counts if some of them are requested. */
static void unpack(struct part_copy *part, uint64_t kinds)
{
	const char *damage = part->is_packed && kinds & PART_COUNT_KINDS
				     ? part_unpack(part)
				     : NULL;

	if (damage && !part->damage)
		part->damage = memory_printf("%s", damage);
}

int part_open_some(struct part_copy *part, const char *path, uint64_t kinds,
		   char **why)
{
	struct part_copy copy = { 0 };
	uint64_t end = 0;
	int fd = open_regular(path, why);
	int err = 0;

	if (fd < 0)
		return fd;
	/* Packed counts need all chunks that are or refer to counts. */
	if (kinds & PART_COUNT_KINDS)
		kinds |= PART_COUNT_KINDS | PART_KIND(WIRE_PACKED);
	for (int i = 0; i < COPY_ATTEMPTS; i++) {
		free(copy.bytes);
		copy.bytes = NULL;
		err = copy_part(&copy, fd, path, kinds, &end, why);
		if (!copy.bytes || !(kinds & PART_KIND(WIRE_TALLY)) ||
		    !has_moved(&copy, fd))
			break;
	}
	close(fd);
	if (!copy.bytes)
		return err;
	put_names(&copy, path);
	check_chunks(&copy, end);
	unpack(&copy, kinds);
	if (kinds & PART_KIND(WIRE_INHERITED))
		read_inherited(&copy);
	*part = copy;
	return 0;
}

int part_open(struct part_copy *part, const char *path, char **why)
{
	return part_open_some(part, path, PART_KINDS_ALL, why);
}

int part_open_header(struct part_copy *part, const char *path, char **why)
{
	struct part_copy copy = { .is_header = 1 };
	struct wire_header header;
	size_t size;
	int fd = open_regular(path, why), err;

	if (fd < 0)
		return fd;
	err = read_header(fd, path, &header, &size, why);
	close(fd);
	if (err)
		return err;
	copy.size_bytes = sizeof(header);
	copy.bytes = memory_zeroed(1, sizeof(header));
	put_header(&copy, &header);
	put_names(&copy, path);
	*part = copy;
	return 0;
}

int part_has_chunk(const struct part_copy *part, enum wire_chunk_kind kind)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	while (part_next_chunk(part, &cursor, &chunk))
		if (chunk.kind == kind)
			return 1;
	return 0;
}

uint64_t part_contexts(const struct part_copy *part)
{
	uint64_t contexts = part->header->contexts, cursor = 0;
	struct part_chunk chunk;

	while (part_next_chunk(part, &cursor, &chunk)) {
		const struct wire_chunk *head =
			(const struct wire_chunk *)chunk.payload - 1;

		if (chunk.kind == WIRE_TALLY && head->admitted <= contexts)
			contexts -= head->admitted;
	}
	return contexts;
}

void part_forget(const struct part_copy *part, const void *from, size_t bytes)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t at = (uintptr_t)from, start = (uintptr_t)part->bytes;
	const uintptr_t first = (at + page - 1) & -page;
	const uintptr_t end = (at + bytes) & -page;

	/* Afterwards the pages still belong to the heap, but contain zeros. */
	if (at >= start && at + bytes <= start + part->size_bytes &&
	    first < end)
		madvise((void *)first, end - first, MADV_DONTNEED);
}

void part_close(struct part_copy *part)
{
	free(part->bytes);
	free(part->path);
	free(part->name);
	free(part->damage);
	*part = (struct part_copy){ 0 };
}
