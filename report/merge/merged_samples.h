/* SPDX-License-Identifier: MIT */
/*
 * Places samples in the tree.
 *
 * A sample has a pc and the id of the innermost hooked function. The pc is
 * mostly inside that function. Otherwise the thread may be returning (the pc is
 * in the caller), be about to call (in a callee, or behind a tail call in a
 * sibling), or have jumped (further out). The pc may also be in unhooked code,
 * which becomes a node below the function. A blocked thread's wait is a node
 * below that node (waits.h). Time in clew's own code is not the program's time:
 * it is counted separately, and gets a node only if the user has requested
 * this.
 */
#ifndef CLEW_MERGE_MERGED_SAMPLES_H
#define CLEW_MERGE_MERGED_SAMPLES_H

#include "report/merge/contexts.h"
#include "report/merge/generated.h"
#include "report/merge/timeline.h"
#include "report/model/clock.h"
#include "report/model/sample_places.h"
#include "report/recording/recording_reader.h"

/* The samples of one process, while they are placed. */
struct samples {
	struct contexts *contexts;
	struct generated *generated;
	struct clock clock;
	struct timeline *timeline; /* NULL if it is not wanted */
	/* Statistics that samples_place() updates. */
	struct sample_places *places;
	int with_clew;      /* whether time in clew's own code gets nodes too */
	uint64_t count;     /* number of polls in placed samples */
	uint64_t weight_ns; /* total weight of placed samples */
	/* Number of polls that found clew's own code, placed or not. */
	uint64_t clew_count;
	uint64_t clew_ns;
	/* Time and number of threads without samples. */
	uint64_t unsampled_ns, unsampled_threads;
};

/*
 * Places the samples of a WIRE_SAMPLES chunk below the node `root`. `thread` is
 * the timeline's index of the thread of these samples.
 */
void samples_place(struct samples *samples, const struct part_chunk *chunk,
		   uint32_t root, uint32_t thread);

/*
 * Returns the number of polls in a part's samples, including those in clew's
 * own code.
 */
uint64_t samples_taken(const struct part_copy *part);

#endif
