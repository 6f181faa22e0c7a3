/* SPDX-License-Identifier: MIT */
/* See inherited_reader.h. */
#include "report/recording/inherited_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/regular_file.h"

/*
 * Maximum size of all inherited chunks of a part; greater than the module
 * records of any process.
 */
#define BYTES_MAX (UINT64_C(1) << 30)

/*
 * The file of an ancestor whose chunks are copied, and the part to which they
 * are copied.
 */
struct ancestor {
	struct part_copy *part;
	int fd;                   /* descriptor of the file, or -1 */
	uint64_t bytes;           /* size of the file */
	struct wire_inherited of; /* identifies the ancestor's process image */
	/*
	 * Why `missing`, the first chunk that could not be read, could not be
	 * read. NULL if all chunks could be read.
	 */
	const char *why;
	struct wire_inherited missing;
};

static char *path_of(const struct part_copy *part,
		     const struct wire_inherited *item)
{
	const char *slash = strrchr(part->path, '/');
	const int folder = slash ? (int)(slash + 1 - part->path) : 0;

	return part->run ? memory_printf("%.*s%" PRIu32 "-%" PRIu32
					 ".%" PRIu32 WIRE_PART_SUFFIX,
					 folder, part->path, part->run,
					 item->pid, item->seq)
			 : memory_printf(
				   "%.*s%" PRIu32 ".%" PRIu32 WIRE_PART_SUFFIX,
				   folder, part->path, item->pid, item->seq);
}

static int is_its(int fd, const struct wire_inherited *item)
{
	struct wire_header header;

	return pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
	       memcmp(header.magic, WIRE_MAGIC, sizeof(header.magic)) == 0 &&
	       wire_version_is_read(header.version) &&
	       header.pid == item->pid && header.seq == item->seq &&
	       header.start_ns == item->start_ns;
}

static void leave(struct ancestor *ancestor)
{
	if (ancestor->fd >= 0)
		close(ancestor->fd);
	ancestor->fd = -1;
}

/*
 * Closes the file of another ancestor, if it is open, and opens the file that
 * contains the chunk of this reference. Returns NULL, or a constant error text.
 */
static const char *enter(struct ancestor *ancestor,
			 const struct wire_inherited *item)
{
	char *path = path_of(ancestor->part, item);
	struct stat status;

	leave(ancestor);
	ancestor->of = *item;
	ancestor->fd = regular_file_open(path, O_RDONLY);
	free(path);
	if (ancestor->fd < 0)
		return ancestor->fd == -ENOENT ? "does not exist"
					       : "cannot be read";
	if (fstat(ancestor->fd, &status) == 0 && is_its(ancestor->fd, item)) {
		ancestor->bytes = (uint64_t)status.st_size;
		return NULL;
	}
	leave(ancestor);
	return "belongs to another process";
}

static int is_of(const struct wire_inherited *item,
		 const struct wire_inherited *other)
{
	return item->pid == other->pid && item->seq == other->seq &&
	       item->start_ns == other->start_ns;
}

static uint64_t padded(uint64_t bytes)
{
	return (bytes + 7) & ~UINT64_C(7);
}

/*
 * Extends the part's copy by `bytes` bytes and returns their address; NULL if
 * memory is short or the limit is reached.
 */
static unsigned char *add_room(struct part_copy *part, uint64_t bytes)
{
	unsigned char *grown, *at;

	if (bytes > BYTES_MAX - part->inherited_bytes)
		return NULL;
	grown = realloc(part->bytes,
			part->inherited_at + part->inherited_bytes + bytes);
	if (!grown)
		return NULL;
	part->bytes = grown;
	part->header = (const void *)grown;
	at = grown + part->inherited_at + part->inherited_bytes;
	memset(at, 0, bytes);
	return at;
}

static int is_whole(const struct ancestor *ancestor,
		    const struct wire_inherited *item,
		    const struct wire_chunk *chunk)
{
	return chunk->kind == item->kind && chunk->used >= item->used &&
	       chunk->bytes >= sizeof(*chunk) &&
	       item->used <= chunk->bytes - sizeof(*chunk) &&
	       item->used <= ancestor->bytes &&
	       item->offset <= ancestor->bytes - item->used;
}

/*
 * Sets the time when a module was unloaded to that of the child, because the
 * ancestor may have unloaded the module after the fork.
 */
static void settle(const struct wire_inherited *item, unsigned char *payload)
{
	struct wire_module *module = (void *)payload;

	if (item->kind == WIRE_MODULE && item->used >= sizeof(*module))
		module->unloaded_ns = item->unloaded_ns;
}

/*
 * Copies one chunk of the ancestor's file to the part's copy. Returns NULL, or
 * a constant error text.
 */
static const char *add(struct ancestor *ancestor,
		       const struct wire_inherited *item)
{
	struct part_copy *part = ancestor->part;
	struct wire_chunk chunk;
	const uint64_t bytes = sizeof(chunk) + padded(item->used);
	unsigned char *at;

	if (pread(ancestor->fd, &chunk, sizeof(chunk), (off_t)item->offset) !=
		    sizeof(chunk) ||
	    !is_whole(ancestor, item, &chunk))
		return "is truncated or damaged";
	at = add_room(part, bytes);
	if (!at)
		return "is too large for the memory available";
	chunk.bytes = bytes;
	chunk.used = item->used;
	memcpy(at, &chunk, sizeof(chunk));
	if (pread(ancestor->fd, at + sizeof(chunk), item->used,
		  (off_t)(item->offset + sizeof(chunk))) != (ssize_t)item->used)
		return "is truncated or damaged";
	settle(item, at + sizeof(chunk));
	part->inherited_bytes += bytes;
	return NULL;
}

static void read_item(struct ancestor *ancestor,
		      const struct wire_inherited *item)
{
	const char *why = NULL;

	if (item->kind != WIRE_PROCESS && item->kind != WIRE_MODULE)
		return;
	if (!is_of(item, &ancestor->of))
		why = enter(ancestor, item);
	if (ancestor->fd >= 0)
		why = add(ancestor, item);
	if (!why || ancestor->why)
		return;
	ancestor->why = why;
	ancestor->missing = *item;
}

void inherited_read(struct part_copy *part, size_t at, size_t count)
{
	struct ancestor ancestor = { .part = part, .fd = -1 };
	struct wire_inherited item;

	for (size_t i = 0; i < count; i++) {
		/* add_room() may move the copy */
		memcpy(&item, part->bytes + at + i * sizeof(item),
		       sizeof(item));
		read_item(&ancestor, &item);
	}
	leave(&ancestor);
	if (ancestor.why && !part->damage)
		part->damage = memory_printf(
			"its modules are missing: the part of its ancestor "
			"process, %" PRIu32 ".%" PRIu32 WIRE_PART_SUFFIX ", %s",
			ancestor.missing.pid, ancestor.missing.seq,
			ancestor.why);
}
