/* SPDX-License-Identifier: MIT */
/* See trace_reader.h. */
#include "report/recording/trace_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file_copy.h"
#include "base/live_read.h"
#include "base/memory.h"
#include "base/regular_file.h"
#include "report/recording/taken_reader.h"
#include "wire/recording.h"

/* Reads bytes at an offset. Returns how many could be read. */
static size_t read_at(int fd, uint64_t offset, void *bytes, size_t count)
{
	const ssize_t got = live_read(fd, bytes, count, (off_t)offset);

	return got > 0 ? (size_t)got : 0;
}

/*
 * Reads the chunk WIRE_PACKET_BLOCKS, if the trace has one. In traces of older
 * versions it may be shorter.
 */
static struct wire_packet_blocks read_blocks(const struct trace *trace, int fd,
					     struct packet_blocks *to)
{
	struct wire_packet_blocks blocks = { 0 };
	const uint64_t bytes = trace->blocks_bytes;

	read_at(fd, trace->blocks_at, &blocks,
		bytes < sizeof(blocks) ? bytes : sizeof(blocks));
	*to = (struct packet_blocks){ .count = blocks.count };
	if (to->count > WIRE_PACKET_BLOCKS_COUNT)
		to->count = WIRE_PACKET_BLOCKS_COUNT;
	for (uint32_t i = 0; i < to->count; i++)
		to->blocks[i] = blocks.blocks[i];
	return blocks;
}

static void take_blocks(struct trace *trace, uint64_t payload, uint64_t bytes)
{
	struct wire_packet_blocks blocks;

	trace->blocks_at = payload;
	trace->blocks_bytes = bytes;
	blocks = read_blocks(trace, trace->fd, trace->blocks);
	trace->refused = blocks.refused;
	trace->dropped = blocks.dropped;
	trace->taken_back = blocks.taken_back;
	trace->least_ns = blocks.least_ns;
	trace->overflow = blocks.overflow;
	trace->waits = blocks.waits;
	trace->waited_ns = blocks.waited_ns;
	trace->given_up = blocks.is_given_up;
	trace->keeps = blocks.keeps;
	trace->values_lost = blocks.values_lost;
	trace->dropped_at =
		payload + offsetof(struct wire_packet_blocks, dropped);
}

/*
 * Reads the beginning of the packet at an offset. Returns 0 if the packet was
 * not begun yet.
 */
static int read_begin(int fd, uint64_t offset, struct trace_packet *packet)
{
	struct wire_packet_begin begin;

	if (read_at(fd, offset + sizeof(struct wire_chunk), &begin,
		    sizeof(begin)) < sizeof(begin) ||
	    !wire_packet_is_begun(&begin))
		return 0;
	packet->sequence =
		(uint64_t)begin.sequence[1] << 32 | begin.sequence[0];
	packet->tsc = (uint64_t)begin.tsc[1] << 32 | begin.tsc[0];
	packet->id = (uint64_t)begin.id[1] << 32 | begin.id[0];
	packet->tid = begin.tid;
	packet->cause = begin.cause;
	return 1;
}

/*
 * Returns whether two reads at the same offset have found the same packet,
 * because it was not reused between them.
 */
static int is_same(const struct trace_packet *one,
		   const struct trace_packet *other)
{
	return one->sequence == other->sequence && one->tid == other->tid;
}

static void take_packet(struct trace *trace, uint64_t offset, uint32_t tally)
{
	struct trace_packet packet = { .offset = offset, .tally = tally };

	if (!read_begin(trace->fd, offset, &packet))
		return;
	trace->packets = memory_grow(trace->packets, trace->count,
				     &trace->capacity, sizeof(packet));
	trace->packets[trace->count++] = packet;
}

/*
 * Reads the chunk at an offset. Returns its size, or 0 if there is no valid
 * chunk.
 */
static uint64_t take_chunk(struct trace *trace, uint64_t offset, uint64_t end)
{
	struct wire_chunk chunk = { 0 };

	if (end - offset < sizeof(chunk) ||
	    read_at(trace->fd, offset, &chunk, sizeof(chunk)) < sizeof(chunk) ||
	    chunk.bytes < sizeof(chunk) || chunk.bytes % 8 ||
	    chunk.bytes > end - offset)
		return 0;
	if (chunk.kind == WIRE_PACKET_BLOCKS)
		take_blocks(trace, offset + sizeof(chunk),
			    chunk.bytes - sizeof(chunk));
	if (chunk.kind == WIRE_PACKET && chunk.bytes == WIRE_PACKET_BYTES)
		take_packet(trace, offset, chunk.owner);
	return chunk.bytes;
}

static int in_order(const void *a, const void *b)
{
	const struct trace_packet *one = a, *other = b;

	if (one->tally != other->tally)
		return one->tally < other->tally ? -1 : 1;
	if (one->sequence != other->sequence)
		return one->sequence < other->sequence ? -1 : 1;
	return one->offset < other->offset ? -1 : one->offset > other->offset;
}

static int read_header(struct trace *trace, struct wire_header *header,
		       char **why)
{
	static const char none[sizeof(header->magic)];
	struct stat status;
	size_t bytes;

	if (fstat(trace->fd, &status) != 0 || !S_ISREG(status.st_mode))
		return fail(why, -ENOEXEC, "%s is not a trace", trace->path);
	bytes = read_at(trace->fd, 0, header, sizeof(*header));
	/*
	 * The process was killed, or the file read, while the process created
	 * it.
	 */
	if (!bytes || (bytes == sizeof(*header) &&
		       memcmp(header->magic, none, sizeof(none)) == 0))
		return fail(why, -ENODATA,
			    "%s: the file is empty (the process was killed, or "
			    "has just started)",
			    trace->path);
	if (bytes < sizeof(*header) ||
	    memcmp(header->magic, WIRE_MAGIC, sizeof(header->magic)) != 0)
		return fail(why, -ENOEXEC, "%s is not a trace", trace->path);
	if (!wire_version_is_read(header->version) ||
	    header->version == WIRE_VERSION_PACKED)
		return fail(why, -EPROTO,
			    "%s: this version of clew cannot read format "
			    "version %" PRIu32,
			    trace->path, header->version);
	if (header->header_bytes < sizeof(*header) || header->header_bytes % 8)
		return fail(why, -EBADMSG, "%s: the header is damaged",
			    trace->path);
	trace->pid = header->pid;
	trace->seq = header->seq;
	if (header->end > (uint64_t)status.st_size)
		header->end = (uint64_t)status.st_size;
	return 0;
}

static int read_trace(struct trace *trace, char **why)
{
	struct wire_header header;
	uint64_t at, bytes;
	int err = read_header(trace, &header, why);

	if (err)
		return err;
	for (at = header.header_bytes; at < header.end; at += bytes) {
		bytes = take_chunk(trace, at, header.end);
		if (!bytes) {
			trace->damage =
				memory_printf("damaged at byte %" PRIu64, at);
			break;
		}
	}
	if (trace->count)
		qsort(trace->packets, trace->count, sizeof(*trace->packets),
		      in_order);
	return 0;
}

char *trace_path(const char *part_path)
{
	const size_t length = strlen(part_path);
	const size_t suffix = sizeof(WIRE_PART_SUFFIX) - 1;

	if (length < suffix ||
	    strcmp(part_path + length - suffix, WIRE_PART_SUFFIX) != 0)
		return NULL;
	return memory_printf("%.*s%s", (int)(length - suffix), part_path,
			     WIRE_TRACE_SUFFIX);
}

/*
 * Reads the first `count` words of a packet again, up to the last that is not
 * 0. The kernel copies words in any order, so a copy of a packet that its
 * thread writes meanwhile may lack words before others that it contains. At the
 * second reading, these were written. Words of later calls are not read.
 * Returns whether the packet is still the same.
 */
static int read_again(int fd, const struct trace_packet *packet,
		      uint32_t *words, size_t count)
{
	struct trace_packet now;

	while (count && !words[count - 1])
		count--;
	count *= sizeof(*words);
	return read_at(fd, packet->offset + sizeof(struct wire_chunk), words,
		       count) == count &&
	       read_begin(fd, packet->offset, &now) && is_same(packet, &now);
}

/*
 * Reads a packet that its thread may write meanwhile. Returns the number of
 * words, or 0 if the packet was reused.
 */
static size_t read_changing(int fd, const struct trace_packet *packet,
			    uint32_t *words)
{
	const size_t count =
		read_at(fd, packet->offset + sizeof(struct wire_chunk), words,
			WIRE_PACKET_BYTES - sizeof(struct wire_chunk)) /
		sizeof(*words);

	return read_again(fd, packet, words, count) ? count : 0;
}

/* Returns 0 or -errno. */
static int put_words(int to, const struct trace_packet *packet,
		     const uint32_t *words, size_t count)
{
	const size_t bytes = count * sizeof(*words);

	errno = ENOSPC; /* for a write that ends early */
	return pwrite(to, words, bytes,
		      (off_t)(packet->offset + sizeof(struct wire_chunk))) ==
			       (ssize_t)bytes
		       ? 0
		       : -errno;
}

/*
 * Copies a packet again because it was reused while the file was copied. If it
 * is reused meanwhile once more, the copy gets an empty packet. Returns 0 or
 * -errno.
 */
static int copy_again(int from, int to, const struct trace_packet *packet,
		      uint32_t *words)
{
	struct trace_packet now = *packet;
	size_t count = 0;

	if (read_begin(from, packet->offset, &now))
		count = read_changing(from, &now, words);
	if (!count)
		words[count++] = 0;
	return put_words(to, packet, words, count);
}

static int settle_packets(const struct trace *copy, int from, int to)
{
	uint32_t *words = memory_zeroed(PACKET_WORDS_MAX, sizeof(*words));
	uint64_t dropped = copy->dropped;
	int err = 0;

	for (size_t i = 0; i < copy->count && !err; i++) {
		const struct trace_packet *packet = &copy->packets[i];
		const size_t count = trace_read(copy, copy->fd, packet, words);

		if (read_again(from, packet, words, count)) {
			err = put_words(to, packet, words, count);
			continue;
		}
		err = copy_again(from, to, packet, words);
		dropped += copy->overflow == WIRE_OVERFLOW_DROP;
	}
	free(words);
	if (!err && dropped != copy->dropped &&
	    pwrite(to, &dropped, sizeof(dropped), (off_t)copy->dropped_at) !=
		    sizeof(dropped))
		err = -errno;
	return err;
}

/*
 * Truncates a copy at the end of its last chunk, if the process has not done
 * this. Returns 0 or -errno.
 */
static int cut_hole(int copy)
{
	struct wire_header header;
	struct stat status;

	if (fstat(copy, &status) != 0 ||
	    pread(copy, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.magic, WIRE_MAGIC, sizeof(header.magic)) != 0 ||
	    header.end < header.header_bytes ||
	    header.end >= (uint64_t)status.st_size)
		return 0;
	return ftruncate(copy, (off_t)header.end) != 0 ? -errno : 0;
}

static int copy_new(int from, const char *path, int is_trace)
{
	int to = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int err = to < 0 ? -errno : file_copy(from, to);

	if (!err && is_trace)
		err = trace_settle(from, path);
	if (!err && is_trace)
		err = cut_hole(to);
	if (to >= 0 && close(to) != 0 && !err)
		err = -errno;
	if (to >= 0 && err)
		unlink(path);
	return err;
}

/*
 * Copies a file to a new one. Does nothing if from_path or to_path is NULL, or
 * from_path cannot be opened. Returns 0, or -errno and *why.
 */
static int keep_file(const char *from_path, const char *to_path, int is_trace,
		     char **why)
{
	int from = from_path ? regular_file_open(from_path, O_RDONLY) : -1;
	int err = from >= 0 && to_path ? copy_new(from, to_path, is_trace) : 0;

	if (from >= 0)
		close(from);
	return err ? fail(why, err, "%s: %s", to_path, strerror(-err)) : 0;
}

int trace_settle(int from, const char *path)
{
	int to = open(path, O_WRONLY | O_CLOEXEC), err;
	struct trace copy;
	char *why;

	if (to < 0)
		return -errno;
	if (trace_open(&copy, path, &why) == 0) {
		err = settle_packets(&copy, from, to);
		trace_close(&copy);
	} else {
		/*
		 * The copy is as damaged as the original, so copying has
		 * succeeded.
		 */
		free(why);
		err = 0;
	}
	if (close(to) != 0 && !err)
		err = -errno;
	return err;
}

int trace_keep(const char *from_part, const char *to_part, char **why)
{
	char *from_path = trace_path(from_part), *to_path = trace_path(to_part);
	int err = keep_file(from_path, to_path, 1, why);

	free(from_path);
	free(to_path);
	if (err)
		return err;
	from_path = taken_path(from_part);
	to_path = taken_path(to_part);
	err = keep_file(from_path, to_path, 0, why);
	free(from_path);
	free(to_path);
	return err;
}

int trace_open(struct trace *trace, const char *path, char **why)
{
	struct trace new = { .fd = regular_file_open(path, O_RDONLY) };
	int err;

	if (new.fd < 0)
		return fail(why, new.fd, "%s: %s", path, strerror(-new.fd));
	new.path = memory_printf("%s", path);
	new.blocks = memory_zeroed(1, sizeof(*new.blocks));
	err = read_trace(&new, why);
	if (err) {
		trace_close(&new);
		return err;
	}
	*trace = new;
	return 0;
}

void trace_close(struct trace *trace)
{
	if (trace->path)
		trace_let_go(trace);
	free(trace->path);
	free(trace->packets);
	free(trace->damage);
	*trace = (struct trace){ .fd = -1 };
}

void trace_let_go(struct trace *trace)
{
	if (trace->fd >= 0)
		close(trace->fd);
	trace->fd = -1;
	free(trace->blocks);
	trace->blocks = NULL;
}

int trace_reopen(const struct trace *trace, struct packet_blocks *blocks)
{
	const int fd = regular_file_open(trace->path, O_RDONLY);

	if (fd >= 0)
		read_blocks(trace, fd, blocks);
	return fd;
}

/*
 * Returns whether no thread writes the packet any more. A thread may write the
 * last word of a packet only when the next packet is full (wire/packet.h).
 */
static int is_complete(const struct trace *trace,
		       const struct trace_packet *packet)
{
	const size_t after = (size_t)(packet - trace->packets) + 2;

	return after < trace->count &&
	       trace->packets[after].tally == packet->tally;
}

size_t trace_read(const struct trace *trace, int fd,
		  const struct trace_packet *packet, uint32_t *words)
{
	const uint64_t from = packet->offset + sizeof(struct wire_chunk);
	struct trace_packet now;
	size_t got;

	if (!is_complete(trace, packet))
		return read_changing(fd, packet, words);
	got = read_at(fd, from, words,
		      WIRE_PACKET_BYTES - sizeof(struct wire_chunk));
	/*
	 * Reads the beginning again, to notice whether the packet was reused
	 * meanwhile.
	 */
	if (!read_begin(fd, packet->offset, &now) || !is_same(packet, &now))
		return 0;
	return got / sizeof(*words);
}
