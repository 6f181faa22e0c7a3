/* SPDX-License-Identifier: MIT */
/*
 * One part of a recording: what one process image left.
 *
 * The file is copied before anything in it is believed. A recording may still
 * grow, and may have been written by an enemy; in a private copy a value that
 * was checked cannot change before it is used, and a file that shrinks under
 * the reader is a short read, not a SIGBUS. Holes are not copied, so the price
 * is the data alone.
 *
 * A forked child's part has modules in its ancestors' files (wire/inherited.h): they
 * are read along, and come last. Where they are not to be had, `damage` says so.
 *
 * All chunks are walked once on opening. What follows the first impossible one
 * is cut off and `damage` says so; afterwards every chunk that the iterator
 * returns lies inside the copy.
 */
#ifndef CLEW_RECORDING_PART_READER_H
#define CLEW_RECORDING_PART_READER_H

#include <stddef.h>
#include <stdint.h>

#include "wire/recording.h"

struct part_copy {
	char *path;           /* of the file, as it was opened */
	char *name;           /* without folders, printable */
	uint32_t run;         /* "RUN-PID.SEQ.part", by clew merge; else 0 */
	unsigned char *bytes; /* the copy */
	size_t size_bytes;    /* its own chunks end at or before it */
	/* Behind these in the copy: copies of those it has inherited. */
	size_t inherited_at, inherited_bytes;
	const struct wire_header *header; /* in the copy */
	char *damage;                     /* NULL, or what is wrong */
	unsigned int dropped_counters;    /* of the header (part_counters.h) */
	uint64_t unknown_chunks; /* of kinds that a later clew may know */
	int is_header;           /* the copy is of that alone: part_bring() */
	int was_there; /* all of it, for its recording: recording_bring() */
};

struct part_chunk {
	uint32_t kind;
	uint32_t owner;
	uint64_t
		offset; /* of its header, in the file; an inherited one's: in the copy */
	uint64_t bytes;      /* as its header says */
	uint64_t used_bytes; /* of the payload; at most payload_bytes */
	const unsigned char *payload;
	size_t payload_bytes; /* that are there */
};

/* Bytes of its payload that are in use, and there. */
static inline size_t part_chunk_used(const struct part_chunk *chunk)
{
	return chunk->used_bytes < chunk->payload_bytes
		       ? (size_t)chunk->used_bytes
		       : chunk->payload_bytes;
}

/*
 * 0, or -errno and *why: -ENOEXEC no part of a recording, -ENODATA too short
 * or not yet set up, -EPROTO another version; others from the system.
 */
int part_open(struct part_copy *part, const char *path, char **why);

/*
 * The same, but only chunks of these kinds, a set of PART_KIND(), are copied whole. What
 * others hold need not be there: it may read as zeros. Their heads are.
 */
#define PART_KIND(kind) (UINT64_C(1) << (kind))
#define PART_KINDS_ALL  UINT64_MAX
int part_open_some(struct part_copy *part, const char *path, uint64_t kinds,
		   char **why);

/*
 * The header alone: a page, however large the part is. It has no chunks, and `damage` is
 * not known, until part_bring(). What that would refuse because of the header is refused.
 */
int part_open_header(struct part_copy *part, const char *path, char **why);

/*
 * Has the rest of it there, too, and a later header if it has grown since. 0, or -errno
 * and *why, and it is as it was.
 */
int part_bring(struct part_copy *part, char **why);

/* Keeps its header only. What points into the copy is not valid any more. */
void part_let_go(struct part_copy *part);

/* Whether it has a chunk of that kind. */
int part_has_chunk(const struct part_copy *part, enum wire_chunk_kind kind);

/* Writes what there is of it, but nothing inherited, to a new file. 0, or -errno and *why. */
int part_save(const struct part_copy *part, const char *path, char **why);

void part_close(struct part_copy *part);

/* Contexts that the process has recorded, over all its threads. */
uint64_t part_contexts(const struct part_copy *part);

/*
 * What is at `from`, if it is in the part's copy, is not wanted any more: it may read
 * as zeros from now on, and takes no memory.
 */
void part_forget(const struct part_copy *part, const void *from, size_t bytes);

/*
 * The chunk that starts at *cursor, which must be 0 at first. Returns 0 when
 * there is none.
 */
int part_next_chunk(const struct part_copy *part, uint64_t *cursor,
		    struct part_chunk *out);

#endif
