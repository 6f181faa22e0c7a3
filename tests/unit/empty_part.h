/* SPDX-License-Identifier: MIT */
/*
 * A runtime with an empty part and no tally, for tests of tallies. Functions 1
 * to `functions` exist.
 */
#ifndef CLEW_TESTS_EMPTY_PART_H
#define CLEW_TESTS_EMPTY_PART_H

#include <stdlib.h>

#include "preload/hot/count.h"
#include "preload/hot/runtime.h"
#include "preload/hot/sink.h"
#include "preload/hot/thread.h"
#include "preload/record/recorder.h"
#include "tests/unit/numbered.h"

static struct recorder *recorder;

/* Returns 0, or -1 if the part cannot be created. */
static inline int empty_part_begin(uint32_t functions)
{
	static uint32_t is_ours = 1;

	recorder = calloc(1, sizeof(*recorder));
	if (part_create(&recorder->part, NULL))
		return -1;
	recorder->tallies.part = &recorder->part;
	rt = (struct runtime){ .sink = &sink_counting };
	rt.recorder = recorder;
	rt.header = recorder->part.header;
	rt.max_contexts = 10000000;
	numbered_up_to(functions);
	rt.is_this_process = &is_ours;
	hot.tally = NULL;
	hot.table = hot_empty_table;
	hot.mask = 0;
	return 0;
}

static inline void empty_part_end(void)
{
	hot.tally = NULL;
	free(recorder);
}

#endif
