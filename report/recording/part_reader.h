/* SPDX-License-Identifier: MIT */
/*
 * One part of a recording: the data of one process image.
 *
 * The file is copied before its values are checked and used, because a process
 * may still write to it, and another user may have made it to attack the
 * reader. In a private copy, a value cannot change between its check and its
 * use, and if the file is truncated meanwhile, the copy is only shorter (a
 * mapping would cause SIGBUS). Holes are not copied, so only the amount of data
 * determines the cost.
 *
 * A forked child's part refers to chunks in its ancestors' files
 * (wire/inherited.h). These chunks are read together with the part and follow
 * its own chunks. If some are missing, `damage` says so.
 *
 * When a part is opened, all its chunks are checked. part_next_chunk() ends
 * before the first invalid chunk, and `damage` says so. All chunks that it
 * returns lie inside the copy.
 */
#ifndef CLEW_RECORDING_PART_READER_H
#define CLEW_RECORDING_PART_READER_H

#include <stddef.h>
#include <stdint.h>

#include "wire/recording.h"

struct part_copy {
	char *path; /* the path with which it was opened */
	char *name; /* without folders, safe to print */
	/*
	 * The number RUN if the part's name is "RUN-PID.SEQ.part", as `clew
	 * merge` names parts; otherwise 0.
	 */
	uint32_t run;
	unsigned char *bytes; /* copy of the part's file */
	size_t size_bytes;    /* offset of the end of the part's own chunks */
	/* Copies of inherited chunks follow at this offset of `bytes`. */
	size_t inherited_at, inherited_bytes;
	const struct wire_header *header; /* header of the part, in the copy */
	/*
	 * Error text if data is missing or the part is damaged; otherwise NULL.
	 */
	char *damage;
	unsigned int dropped_counters; /* counters set to 0 (part_counters.h) */
	/*
	 * Number of chunks of unknown kinds, which a later version of clew may
	 * have written.
	 */
	uint64_t unknown_chunks;
	/*
	 * Whether only the header was read. part_bring() then reads the rest.
	 */
	int is_header;
	/* Whether the whole part was read before (recording_bring()). */
	int was_there;
	/*
	 * Whether the file has packed counts (part_packing.h). The header in
	 * the copy has WIRE_VERSION nevertheless. If the counts were read, the
	 * copy has them as before they were packed.
	 */
	int is_packed;
};

struct part_chunk {
	uint32_t kind;
	uint32_t owner;
	/*
	 * Offset of the chunk's header in the file; of an inherited chunk, in
	 * the copy.
	 */
	uint64_t offset;
	uint64_t bytes; /* size of the chunk according to its header */
	/* Used bytes of the payload according to its header. */
	uint64_t used_bytes;
	const unsigned char *payload;
	size_t payload_bytes; /* bytes of the payload that the copy contains */
};

/* Returns how many used bytes of the payload exist in the copy. */
static inline size_t part_chunk_used(const struct part_chunk *chunk)
{
	return chunk->used_bytes < chunk->payload_bytes
		       ? (size_t)chunk->used_bytes
		       : chunk->payload_bytes;
}

/*
 * Reads a part. Returns 0, and the caller calls part_close(); or -errno and
 * *why: -ENOEXEC if the file is no part, -ENODATA if it is empty or not
 * initialised yet, -EPROTO if this clew does not read its version, -EBADMSG if
 * its header is damaged, or an error of the system.
 */
int part_open(struct part_copy *part, const char *path, char **why);

/*
 * Like part_open(), but copies only the payloads of chunks whose kind is in
 * `kinds`, a sum of PART_KIND(). Other payloads may be zeros. The headers of
 * all chunks are copied. Inherited chunks are read only if `kinds` has
 * WIRE_INHERITED.
 */
#define PART_KIND(kind) (UINT64_C(1) << (kind))
#define PART_KINDS_ALL  UINT64_MAX
int part_open_some(struct part_copy *part, const char *path, uint64_t kinds,
		   char **why);

/*
 * Like part_open(), but reads only the header, which is one page. Until
 * part_bring() is called, the part has no chunks, and `damage` is not
 * determined. Fails if part_bring() would fail because of the header.
 */
int part_open_header(struct part_copy *part, const char *path, char **why);

/*
 * If only the part's header was read, reads the whole part, including the
 * header, which may have changed meanwhile. Returns 0; or -errno and *why, and
 * then changes nothing.
 */
int part_bring(struct part_copy *part, char **why);

/*
 * Frees all of the copy except the header. Pointers into the copy become
 * invalid.
 */
void part_let_go(struct part_copy *part);

/* Returns whether the part has a chunk of that kind. */
int part_has_chunk(const struct part_copy *part, enum wire_chunk_kind kind);

/*
 * Writes the part's header and its own chunks, without inherited ones, to a new
 * file. Returns 0, or -errno and *why.
 */
int part_save(const struct part_copy *part, const char *path, char **why);

/*
 * Like part_save() for a part with `is_packed`, whose counts stay packed: copies
 * its file, which no process changes any more, except for making holes in it.
 */
int part_save_packed(const struct part_copy *part, const char *path,
		     char **why);

void part_close(struct part_copy *part);

/* Returns the number of contexts in all tallies of the part. */
uint64_t part_contexts(const struct part_copy *part);

/*
 * Gives memory of the part's copy that is not needed any more back to the
 * kernel: afterwards the bytes may be zeros. Does nothing if the bytes are not
 * in the copy.
 */
void part_forget(const struct part_copy *part, const void *from, size_t bytes);

/*
 * Reads the next chunk and advances *cursor, which must be 0 at first. Returns
 * 0 at the end.
 */
int part_next_chunk(const struct part_copy *part, uint64_t *cursor,
		    struct part_chunk *out);

#endif
