/* SPDX-License-Identifier: MIT */
/*
 * Samples, and where in the tree they belong.
 *
 * A sample has the id of the innermost hooked function and the pc. Mostly the
 * pc is inside that function. If not, the thread may be just leaving it (the
 * pc is in its caller), be about to enter another (in one of its callees, or
 * behind a tail call in a sibling), have jumped (further out), or be in code that
 * is not hooked, which becomes a node of its own below the function. What a blocked thread waits for is
 * a node below all that (waits.h). Time in clew's own code is no time of the
 * program: it is left out, and counted apart, unless asked for.
 */
#ifndef CLEW_MERGE_MERGED_SAMPLES_H
#define CLEW_MERGE_MERGED_SAMPLES_H

#include "report/merge/contexts.h"
#include "report/merge/generated.h"
#include "report/merge/timeline.h"
#include "report/model/clock.h"
#include "report/model/sample_places.h"
#include "report/recording/recording_reader.h"

/* Where the samples of one process go. */
struct samples {
	struct contexts *contexts;
	struct generated *generated;
	struct clock clock;
	struct timeline *timeline;    /* NULL: not wanted */
	struct sample_places *places; /* is added to */
	int with_clew;                /* our own code gets nodes, too */
	uint64_t count;               /* that were placed so far */
	uint64_t weight_ns;           /* of those */
	uint64_t clew_count;          /* in our own code, placed or not */
	uint64_t clew_ns;
	/* Time of threads without samples, and how many such threads. */
	uint64_t unsampled_ns, unsampled_threads;
};

/*
 * Places the samples of a WIRE_SAMPLES chunk below `root`. `thread` is whose
 * they are in the timeline.
 */
void samples_place(struct samples *samples, const struct part_chunk *chunk,
		   uint32_t root, uint32_t thread);

/* How many there are in a part, those in our own code included. */
uint64_t samples_taken(const struct part_copy *part);

#endif
