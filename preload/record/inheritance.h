/* SPDX-License-Identifier: MIT */
/*
 * Chunks of ancestors' parts that a forked child's part refers to
 * (wire/inherited.h).
 *
 * The chunks stay mapped at their addresses, in the ancestor's file. Nothing is
 * written there: before the process changes a chunk, or records to another
 * folder, it makes copies (inheritance_settle()).
 */
#ifndef CLEW_RECORD_INHERITANCE_H
#define CLEW_RECORD_INHERITANCE_H

#include <stdint.h>

#include "preload/record/part.h"

/*
 * An inherited chunk. The list of these is in private memory, so a forked child
 * gets a copy.
 */
struct inherited_chunk {
	/* NULL once this part has a copy of the chunk */
	struct wire_chunk *head;
	uint64_t offset;   /* offset in the file of the chunk's part */
	uint64_t start_ns; /* start of that part */
	uint32_t pid, seq; /* process and sequence number of that part */
};

/*
 * In a forked child: lets the child's part inherit the chunks of its parent's
 * part, and those that the parent has inherited, for which is_wanted() returns
 * true. Returns -ENOTSUP if a reader would not find them: the parts are in
 * different folders, or the parent's file no longer exists. After any -errno
 * nothing is inherited.
 */
int inheritance_take(struct part *part, const struct part *parent,
		     int (*is_wanted)(const struct wire_chunk *chunk));

/*
 * Releases the parent's part, as part_abandon() does, except the chunks that
 * `child` has inherited and, if needs_header is set, the parent's header.
 */
void inheritance_abandon_rest(struct part *parent, int needs_header,
			      const struct part *child);

/* Visits the inherited chunks of a kind, like part_each_chunk(). */
int inheritance_each_chunk(const struct part *part, uint32_t kind,
			   part_visitor visit, void *context);

/*
 * Copies all inherited chunks to the part and makes modules use the copies.
 * Returns 0, or -errno if some are still inherited. Any thread may call this
 * function.
 */
int inheritance_settle(struct part *part);

/* Frees the list of a part that is no longer used. */
void inheritance_forget(struct part *part);

#endif
