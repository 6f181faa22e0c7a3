/* SPDX-License-Identifier: MIT */
/*
 * Names for generated code that no runtime has reported: the module that has
 * made the memory executable (its maker). The name is "(generated code of
 * libx.so)" or, if the mapping has a name, "(generated code of libx.so,
 * memfd:jit)".
 *
 * Memory that is mapped from the file of a loaded module contains the module's
 * code at another address. Its functions get the module's names.
 *
 * A forked child also has the records of its parent that were created before
 * the fork.
 */
#ifndef CLEW_MERGE_MADE_CODE_H
#define CLEW_MERGE_MADE_CODE_H

#include "base/idmap.h"
#include "report/merge/numbering.h"
#include "report/model/clock.h"
#include "report/recording/recording_reader.h"

struct made_code {
	/* NULL if there are no records or it could not be created */
	struct a2n_space *space;
	struct idmap functions; /* maps the id of a range to the function */
	/*
	 * maps the id of a range to the difference between the module's address
	 * and the range's
	 */
	struct idmap modules;
};

/*
 * Reads the records of a part. `numbering` must contain the part's modules.
 * Invalid records are skipped.
 */
void made_code_init(struct made_code *made, const struct recording *recording,
		    const struct part_copy *part, struct catalog *catalog,
		    const struct numbering *numbering,
		    const struct clock *clock);
void made_code_fini(struct made_code *made);

/*
 * Returns the catalog's function for generated code at the pc at that time
 * stamp, or 0.
 */
uint32_t made_code_function(const struct made_code *made, uint64_t pc,
			    uint64_t tsc);

/*
 * If the memory at the pc was mapped from a module's file at that time stamp,
 * returns the address of the same code in the module; otherwise 0.
 */
uint64_t made_code_module_pc(const struct made_code *made, uint64_t pc,
			     uint64_t tsc);

/* Sets `is_maker` of the part's modules that have made memory executable. */
void made_code_mark_makers(const struct part_copy *part,
			   struct catalog *catalog,
			   const struct numbering *numbering);

#endif
