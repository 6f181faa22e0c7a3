/* SPDX-License-Identifier: MIT */
/*
 * One part of a recording: the data of one process image.
 *
 * The file is copied before anything in it is trusted. A recording may still
 * grow, and an attacker may have written it. In a private copy, a checked value
 * cannot change before its use, and a file that shrinks causes a short read
 * instead of SIGBUS. Holes are not copied, so the cost depends only on the
 * data.
 *
 * A forked child's part refers to chunks of modules in its ancestors' files
 * (wire/inherited.h). These chunks are read with the part and come last. If
 * they are missing, `damage` says so.
 *
 * All chunks are checked once on opening. The part is cut off at the first
 * invalid one, and `damage` says so. Afterwards, every chunk that the iterator
 * returns lies inside the copy.
 */
#ifndef CLEW_RECORDING_PART_READER_H
#define CLEW_RECORDING_PART_READER_H

#include <stddef.h>
#include <stdint.h>

#include "wire/recording.h"

struct part_copy {
	char *path;           /* as it was opened */
	char *name;           /* without folders, safe to print */
	uint32_t run;         /* "RUN-PID.SEQ.part", from clew merge; else 0 */
	unsigned char *bytes; /* the copy */
	size_t size_bytes;    /* end of the part's own chunks */
	/* Copies of inherited chunks follow at this offset of `bytes`. */
	size_t inherited_at, inherited_bytes;
	const struct wire_header *header; /* in the copy */
	char *damage;                     /* NULL, or an error text */
	unsigned int dropped_counters; /* counters set to 0 (part_counters.h) */
	uint64_t unknown_chunks; /* of kinds that a later version may know */
	int is_header;           /* only the header was read: part_bring() */
	int was_there;           /* was complete before: recording_bring() */
};

struct part_chunk {
	uint32_t kind;
	uint32_t owner;
	/*
	 * Offset of its header in the file; for an inherited chunk, in the
	 * copy.
	 */
	uint64_t offset;
	uint64_t bytes; /* as its header claims */
	/* used bytes of the payload as its header claims */
	uint64_t used_bytes;
	const unsigned char *payload;
	size_t payload_bytes; /* bytes that exist in the copy */
};

/* Returns how many used bytes of the payload exist in the copy. */
static inline size_t part_chunk_used(const struct part_chunk *chunk)
{
	return chunk->used_bytes < chunk->payload_bytes
		       ? (size_t)chunk->used_bytes
		       : chunk->payload_bytes;
}

/*
 * Returns 0, or -errno and *why: -ENOEXEC for a file that is no part, -ENODATA
 * if it is too short or not yet initialised, -EPROTO for another version; else
 * a system error.
 */
int part_open(struct part_copy *part, const char *path, char **why);

/*
 * Like part_open(), but copies only the payloads of chunks of these kinds, a
 * set of PART_KIND(). The other payloads may read as zeros. Headers of all
 * chunks are copied.
 */
#define PART_KIND(kind) (UINT64_C(1) << (kind))
#define PART_KINDS_ALL  UINT64_MAX
int part_open_some(struct part_copy *part, const char *path, uint64_t kinds,
		   char **why);

/*
 * Reads only the header, which is one page. Until part_bring() the part has no
 * chunks, and `damage` is unknown. Fails for every reason in the header for
 * which part_bring() fails.
 */
int part_open_header(struct part_copy *part, const char *path, char **why);

/*
 * Reads the whole part, and a newer header if the part has grown. Returns 0; or
 * -errno and *why, and then changes nothing.
 */
int part_bring(struct part_copy *part, char **why);

/*
 * Frees everything except the header. Invalidates all pointers into the copy.
 */
void part_let_go(struct part_copy *part);

/* Returns whether the part has a chunk of that kind. */
int part_has_chunk(const struct part_copy *part, enum wire_chunk_kind kind);

/* Writes the part's own chunks to a new file. Returns 0, or -errno and *why. */
int part_save(const struct part_copy *part, const char *path, char **why);

void part_close(struct part_copy *part);

/*
 * Returns the number of contexts that all threads of the process have recorded.
 */
uint64_t part_contexts(const struct part_copy *part);

/*
 * Releases the memory of bytes at `from` that are no longer needed. If they lie
 * in the part's copy, they may read as zeros afterwards. Ignores other
 * addresses.
 */
void part_forget(const struct part_copy *part, const void *from, size_t bytes);

/*
 * Reads the chunk at *cursor, which must start as 0, and advances the cursor.
 * Returns 0 at the end.
 */
int part_next_chunk(const struct part_copy *part, uint64_t *cursor,
		    struct part_chunk *out);

#endif
