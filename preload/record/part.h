/* SPDX-License-Identifier: MIT */
/*
 * A part: the file in which one process image stores its recording.
 *
 * The file grows by chunks (wire/recording.h). Each is mapped and then written
 * in place (part_file.h). A child that is not to be recorded gets a part
 * without a file: the same chunks in private memory, so that other code needs
 * no special case.
 *
 * Any thread may call any function at any time, also in signal handlers, except
 * where a comment says otherwise.
 */
#ifndef CLEW_RECORD_PART_H
#define CLEW_RECORD_PART_H

#include <stdint.h>

#include "preload/hot/tally.h"
#include "preload/record/part_file.h"
#include "preload/sys/lock.h"
#include "wire/recording.h"

#define PART_FREE_MAX 64

struct inherited_chunk;

/* Chunks in ancestors' files (inheritance.h). */
struct inheritance {
	struct inherited_chunk *items;
	uint32_t count, room;
	struct lock lock;
	/* The WIRE_INHERITED chunk: a record for each item. */
	struct chunk chunk;
};

struct part {
	struct wire_header *header;
	struct lock lock;
	struct part_file file;
	/*
	 * File offset of the end of the part's chunks, the same as header->end.
	 * The header is shared memory. A forked child needs the value at the
	 * time of the fork, which this private copy has.
	 */
	uint64_t end;
	struct chunk unused[PART_FREE_MAX]; /* free and zeroed chunks */
	uint32_t unused_count;
	/*
	 * Sizes of the chunks in use that count towards the limits: all of
	 * them, and those with samples.
	 */
	uint64_t spent_bytes, sample_bytes;
	struct inheritance inherited;
};

/*
 * Creates DIR/PID.SEQ.part with the first free SEQ, or a part without a file if
 * dir is NULL. The header's state is WIRE_STARTING. Not thread-safe. Returns 0
 * or -errno.
 */
int part_create(struct part *part, const char *dir);

/*
 * Creates another file of the same process, PID.SEQ.SUFFIX, or none if `other`
 * has no file. Returns 0 or -errno.
 */
int part_create_beside(struct part *part, const struct part *other,
		       const char *suffix);

/*
 * Creates a part that has no chunks and can have none. Used in a forked child
 * that has no memory for a part, or in which nothing will be recorded.
 */
void part_create_nowhere(struct part *part);

/* Stores why nothing is recorded, and finishes the part. */
void part_disable(struct part *part, const char *why);

/* Cuts off the unused rest of the file, at the end of the recording. */
void part_finish(struct part *part);

/*
 * Sets how many bytes tables, contexts and samples may take (samples at most
 * half of it), together with tallies and histograms, which are never refused;
 * 0: no limit. Called while the part is new.
 */
void part_limit(struct part *part, uint64_t max_bytes);

/*
 * Allocates a zeroed chunk with at least `bytes` of payload, in freed space if
 * possible. Returns 0, -ENOBUFS beyond part_limit(), -EXFULL beyond
 * memory_bound_take(), -ENOSPC, or another -errno.
 */
int part_alloc(struct part *part, enum wire_chunk_kind kind, uint32_t owner,
	       uint64_t bytes, struct chunk *out);

/* Copies a chunk of another part into this one. Returns 0 or -errno. */
int part_copy_chunk(struct part *part, const struct chunk *from,
		    struct chunk *out);

/* Frees a chunk, which stays mapped, reads as zeros and may be reused. */
void part_free(struct part *part, const struct chunk *chunk);

/* Frees a chunk that is never reused and always reads as zeros. */
void part_retire(struct part *part, const struct chunk *chunk);

/*
 * Releases this process's mapping of the pages of a chunk that is complete, or
 * seldom written. The content stays in the file, and a later access maps the
 * pages again. The chunk is not unmapped, because each hole would be one more
 * mapping, and their number is limited.
 */
void part_complete(const struct chunk *chunk);

/*
 * In a forked child: releases the parent's part, except its header if
 * needs_header.
 */
void part_abandon(struct part *part, int needs_header);

/* Removes a part that could not be set up, as if it had not been created. */
void part_discard(struct part *part);

#define PART_EVERY_KIND UINT32_MAX

/* A result other than 0 ends the visits. */
typedef int (*part_visitor)(void *context, const struct chunk *chunk);

/*
 * Visits all chunks of a kind, or PART_EVERY_KIND, in the order of the file.
 * Returns the visitor's last result, or -EBADMSG if a chunk's length is wrong.
 * Chunks that are created meanwhile may be missed.
 */
int part_each_chunk(const struct part *part, uint32_t kind, part_visitor visit,
		    void *context);

static inline void *chunk_payload(const struct chunk *chunk)
{
	return chunk->head + 1;
}

#endif
