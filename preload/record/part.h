/* SPDX-License-Identifier: MIT */
/*
 * A part: the file in which one process image leaves its recording.
 *
 * The file grows by chunks (wire/recording.h), each mapped and written in place
 * ever after (part_file.h). A child that is not to be recorded gets a part
 * without a file: the same chunks in private memory, so that nothing else needs
 * to know.
 *
 * All functions may be called by any thread at any time, signal handlers
 * included, except where they say otherwise.
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

/* What it has in its ancestors' files (inheritance.h). */
struct inheritance {
	struct inherited_chunk *items;
	uint32_t count, room;
	struct lock lock;
	struct chunk chunk; /* its WIRE_INHERITED: a record for each item */
};

struct part {
	struct wire_header *header;
	struct lock lock;
	struct part_file file;
	uint64_t end; /* as in the header, which a parent may move on */
	struct chunk unused[PART_FREE_MAX]; /* given back, zeroed */
	uint32_t unused_count;
	/* Of chunks that are in use, and grow with what the program does. */
	uint64_t spent_bytes, sample_bytes;
	struct inheritance inherited;
};

/*
 * Make DIR/PID.SEQ.part, SEQ being the first that is free; or without a file
 * where dir is NULL. The header says WIRE_STARTING. Not thread-safe.
 */
int part_create(struct part *part, const char *dir);

/*
 * The same for another file of the same process, PID.SEQ.SUFFIX in place of the
 * part's own; without a file where the part has none.
 */
int part_create_beside(struct part *part, const struct part *other,
		       const char *suffix);

/*
 * Where there is no memory for a part either, or nothing to be kept: one that
 * has no chunks and no room for any. In forked children only.
 */
void part_create_nowhere(struct part *part);

/* Say why nothing is recorded; the part is finished with that. */
void part_disable(struct part *part, const char *why);

/* The process ends: what the file has more than is in use is cut off. */
void part_finish(struct part *part);

/*
 * How many bytes tables, contexts and samples may take, samples not more than
 * half of that; 0: no limit. When the part is new.
 */
void part_limit(struct part *part, uint64_t max_bytes);

/*
 * A zeroed chunk with at least `bytes` of payload, where possible in space that
 * was given back. 0, -ENOBUFS beyond part_limit(), -EXFULL beyond what
 * memory_bound_take() allows, -ENOSPC, or other -errno.
 */
int part_alloc(struct part *part, enum wire_chunk_kind kind, uint32_t owner,
	       uint64_t bytes, struct chunk *out);

/* A chunk like one of another part's, or an inherited one. 0 or -errno. */
int part_copy_chunk(struct part *part, const struct chunk *from,
		    struct chunk *out);

/* Give a chunk back. It stays mapped, reads as zeros and may be reused. */
void part_free(struct part *part, const struct chunk *chunk);

/* The same, but it reads as zeros for good. */
void part_retire(struct part *part, const struct chunk *chunk);

/*
 * Nobody is going to write to a chunk any more, or seldom: it takes no memory of the
 * process, and what was written is in the file's pages. Who looks there, or does
 * write, has it read in again. Not unmapped: each hole would be a mapping more, of
 * which a process has some thousands only.
 */
void part_complete(const struct chunk *chunk);

/*
 * In a forked child: let go of everything of the parent's part; of all but its
 * header if that is still needed.
 */
void part_abandon(struct part *part, int needs_header);

/* Let go of a part that could not be set up, as though it had not been made. */
void part_discard(struct part *part);

#define PART_EVERY_KIND UINT32_MAX

/* Not 0 ends the visits. */
typedef int (*part_visitor)(void *context, const struct chunk *chunk);

/*
 * Show all chunks of that kind, or PART_EVERY_KIND, in the order of the file.
 * The visitor's last answer, or -EBADMSG if a chunk's length is wrong. Chunks
 * may be made meanwhile, and are seen or not.
 */
int part_each_chunk(const struct part *part, uint32_t kind, part_visitor visit,
		    void *context);

static inline void *chunk_payload(const struct chunk *chunk)
{
	return chunk->head + 1;
}

#endif
