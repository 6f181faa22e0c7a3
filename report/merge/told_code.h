/* SPDX-License-Identifier: MIT */
/*
 * The code that the runtimes of one process told clew of while they made it: with
 * the time at which each piece was told, hence exact where places are used again.
 */
#ifndef CLEW_MERGE_TOLD_CODE_H
#define CLEW_MERGE_TOLD_CODE_H

#include "base/idmap.h"
#include "report/merge/code_places.h"
#include "report/merge/numbering.h"
#include "report/model/clock.h"
#include "report/model/function_catalog.h"
#include "report/recording/part_reader.h"

struct told_piece {
	uint64_t start;
	uint64_t tsc; /* of its record */
	uint32_t function;
};

struct told_code {
	struct a2n_space *space; /* NULL: there is none */
	struct told_piece *pieces;
	size_t count, capacity;
	struct idmap by_id; /* of the space -> index + 1 */
	struct code_places places;
	struct idmap sites;  /* (index + 1) << 32 | offset -> site + 1 */
	uint64_t unread;     /* objects of which no code is known */
	uint32_t why_unread; /* enum wire_unread, of the last */
};

/*
 * Whatever is wrong in it is left out. Code runs for a moment before it is told of:
 * it is taken to have come a tenth of a second before, if the clock is known.
 */
void told_code_init(struct told_code *told, struct catalog *catalog,
		    const struct part_copy *part, const struct clock *clock);
void told_code_fini(struct told_code *told);

/*
 * The function of the catalog whose code was at the pc at that time stamp, or 0.
 */
uint32_t told_code_function(const struct told_code *told, uint64_t pc,
			    uint64_t tsc);

/*
 * What is inlined there, and the lines, as a site of the catalog that is in that
 * function; 0 if nobody knows.
 */
uint32_t told_code_site(struct told_code *told, struct catalog *catalog,
			const struct numbering *numbering, uint64_t pc,
			uint64_t tsc);

#endif
