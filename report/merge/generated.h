/* SPDX-License-Identifier: MIT */
/*
 * Names of generated code of one process.
 *
 * The names are read when the first address outside all modules is looked up.
 * The first of these sources that has a name is used: reports of runtimes in
 * the part (announced_code.h); a jitdump, which has the time of each piece of
 * code; a perf map, of which the last entry for an address is used, because its
 * entries have no times; the module that made the memory executable
 * (made_code.h). A forked child uses its parent's files unless it has its own.
 */
#ifndef CLEW_MERGE_GENERATED_H
#define CLEW_MERGE_GENERATED_H

#include "base/idmap.h"
#include "report/merge/announced_code.h"
#include "report/merge/made_code.h"
#include "report/model/clock.h"
#include "report/model/function_catalog.h"
#include "report/model/sample_places.h"
#include "report/recording/recording_reader.h"

struct generated {
	/* Gets a problem for each file that cannot be read. */
	struct recording *recording;
	const struct part_copy *part;
	struct catalog *catalog;
	const struct clock *clock;
	const struct numbering *numbering;
	/* Code that runtimes have reported, in the part. */
	struct announced_code announced;
	/* memory that was made executable, as recorded in the part */
	struct made_code made;
	struct a2n_space *space; /* NULL if nothing was announced */
	/* maps the id of a piece of code to the function */
	struct idmap functions;
	int is_read;
	/*
	 * Whether the jitdump's time stamps are those of the time stamp
	 * counter, as in samples.
	 */
	int is_by_tsc;
};

void generated_init(struct generated *generated, struct recording *recording,
		    const struct part_copy *part, struct catalog *catalog,
		    const struct numbering *numbering,
		    const struct clock *clock);
void generated_fini(struct generated *generated);

/*
 * Returns the catalog's function whose code was at the pc at that time stamp;
 * FUNCTION_GENERATED if unknown. All pieces of code with the same name are one
 * function. Sets *how to the way in which the function was found, PLACE_TIMED
 * or a later value of the enumeration.
 */
uint32_t generated_function(struct generated *generated, uint64_t pc,
			    uint64_t tsc, enum sample_place *how);

/*
 * If the memory at the pc was mapped from a module's file at that time stamp,
 * returns the address of the same code in the module; otherwise 0.
 */
uint64_t generated_module_pc(struct generated *generated, uint64_t pc,
			     uint64_t tsc);

/*
 * For each call site in generated code (WIRE_RANGE_GENERATED_CALLER), finds the
 * function whose code was there at the site's first call.
 */
void generated_name_callers(struct generated *generated,
			    struct numbering *numbering);

/*
 * Returns the catalog's site for a pc in generated code, like
 * announced_code_site(); 0 if it is unknown or no names were read yet.
 */
uint32_t generated_site(struct generated *generated,
			const struct numbering *numbering, uint64_t pc,
			uint64_t tsc);

#endif
