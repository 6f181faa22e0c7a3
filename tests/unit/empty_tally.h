/* SPDX-License-Identifier: MIT */
/*
 * Sets up `tally` with an empty count table and empty notes, for tests of both.
 */
#ifndef CLEW_TESTS_EMPTY_TALLY_H
#define CLEW_TESTS_EMPTY_TALLY_H

#include <string.h>

#include "preload/hot/tally.h"

#define TALLY_ENTRIES 1024

static struct wire_count table[TALLY_ENTRIES + 1];
static union note notes[TALLY_ENTRIES];
static struct tally tally;

/* Runs before each test. */
static inline int empty_tally(void **state)
{
	(void)state;
	memset(table, 0, sizeof(table));
	memset(notes, 0, sizeof(notes));
	memset(&tally, 0, sizeof(tally));
	tally.table = table;
	tally.notes = notes;
	tally.mask = TALLY_ENTRIES - 1;
	return 0;
}

#endif
