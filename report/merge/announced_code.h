/* SPDX-License-Identifier: MIT */
/*
 * Code that the runtimes of one process have reported to clew when they
 * generated it. Each piece has a time stamp, so that the right piece is found
 * even if an address is reused.
 */
#ifndef CLEW_MERGE_ANNOUNCED_CODE_H
#define CLEW_MERGE_ANNOUNCED_CODE_H

#include "base/idmap.h"
#include "report/merge/code_places.h"
#include "report/merge/numbering.h"
#include "report/model/clock.h"
#include "report/model/function_catalog.h"
#include "report/recording/part_reader.h"

struct announced_piece {
	uint64_t start;
	uint64_t tsc; /* time stamp of its record */
	uint32_t function;
};

struct announced_code {
	/* NULL if there are no records or it could not be created */
	struct a2n_space *space;
	struct announced_piece *pieces;
	size_t count, capacity;
	struct idmap by_id; /* maps an id in the space to 1 + the index */
	struct code_places places;
	/* maps (index + 1) << 32 | offset to 1 + the site */
	struct idmap sites;
	/*
	 * Number of WIRE_CODE_UNREAD records: of registered objects without
	 * names, or of modules whose registrations are not observed.
	 */
	uint64_t unread;
	uint32_t why_unread; /* enum wire_unread, of the last such record */
};

/*
 * Reads the records of a part, and skips invalid ones. Code may run shortly
 * before it is reported. If the clock's rate is known, code is therefore valid
 * from a tenth of a second before its time stamp on; code of registered
 * objects, from its time stamp on.
 */
void announced_code_init(struct announced_code *announced,
			 struct catalog *catalog, const struct part_copy *part,
			 const struct clock *clock);
void announced_code_fini(struct announced_code *announced);

/*
 * Returns the catalog's function whose code contained the pc at that time
 * stamp, or 0.
 */
uint32_t announced_code_function(const struct announced_code *announced,
				 uint64_t pc, uint64_t tsc);

/*
 * Returns the catalog's site for the pc in this code, with its inlined frames
 * and lines; 0 if unknown.
 */
uint32_t announced_code_site(struct announced_code *announced,
			     struct catalog *catalog,
			     const struct numbering *numbering, uint64_t pc,
			     uint64_t tsc);

#endif
