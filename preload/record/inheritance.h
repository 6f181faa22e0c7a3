/* SPDX-License-Identifier: MIT */
/*
 * What a forked child's part has of its ancestors' parts (wire/inherited.h).
 *
 * The chunks stay mapped where they were at the fork, in the ancestor's file, and
 * nothing is written there: who has something to change, or leaves the ancestors'
 * folder, has copies of his own first (inheritance_settle()).
 */
#ifndef CLEW_RECORD_INHERITANCE_H
#define CLEW_RECORD_INHERITANCE_H

#include <stdint.h>

#include "preload/record/part.h"

/* A chunk of an ancestor's. In memory of the process's own, which forks copy. */
struct inherited_chunk {
	struct wire_chunk *head; /* NULL: there is a copy in the own part */
	uint64_t offset;         /* in the file of the part that it is in */
	uint64_t start_ns;       /* of that part */
	uint32_t pid, seq;       /* likewise */
};

/*
 * In a forked child: what its parent's part has, or had inherited itself, of these
 * kinds is the child's as well, but what is_wanted() returns 0 for. -ENOTSUP if a
 * reader would not find it: the parts are not in one folder, or the parent's has no
 * file any more. Other -errno: nothing is inherited.
 */
int inheritance_take(struct part *part, const struct part *parent,
		     int (*is_wanted)(const struct wire_chunk *chunk));

/*
 * Let go of the parent's part but for that, and for its header if that is needed, as
 * part_abandon() does.
 */
void inheritance_abandon_rest(struct part *parent, int needs_header,
			      const struct part *heir);

/* Show the chunks of a kind, as part_each_chunk() does those of the part's own. */
int inheritance_each_chunk(const struct part *part, uint32_t kind,
			   part_visitor visit, void *context);

/*
 * The part has copies of all from now on, and modules have their records there. 0 or
 * -errno: then some are inherited still. Any thread.
 */
int inheritance_settle(struct part *part);

/* Of a part that is left. */
void inheritance_forget(struct part *part);

#endif
