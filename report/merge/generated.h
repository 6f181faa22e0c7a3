/* SPDX-License-Identifier: MIT */
/*
 * Generated code of one process, as the process announced it.
 *
 * Names are read when the first sample in such code is placed. A jitdump has
 * the time of each piece of code. A perf map has only their order, so the
 * newest entry that covers an address counts, whatever the sample's time. If
 * both exist, the jitdump has precedence. A forked child uses its parent's
 * files unless it has its own. Code that a runtime announced directly to clew
 * precedes both files. The module that made the memory executable comes last
 * (made_code.h).
 */
#ifndef CLEW_MERGE_GENERATED_H
#define CLEW_MERGE_GENERATED_H

#include "base/idmap.h"
#include "report/merge/made_code.h"
#include "report/merge/told_code.h"
#include "report/model/clock.h"
#include "report/model/function_catalog.h"
#include "report/model/sample_places.h"
#include "report/recording/recording_reader.h"

struct generated {
	/* receives problems about unreadable files */
	struct recording *recording;
	const struct part_copy *part;
	struct catalog *catalog;
	const struct clock *clock;
	const struct numbering *numbering;
	struct told_code told;   /* code announced in the part itself */
	struct made_code made;   /* makers recorded in the part */
	struct a2n_space *space; /* NULL: nothing was announced */
	struct idmap functions;  /* id of a piece of code -> function */
	int is_read;
	int is_by_tsc; /* its jitdump has the same clock as samples */
};

void generated_init(struct generated *generated, struct recording *recording,
		    const struct part_copy *part, struct catalog *catalog,
		    const struct numbering *numbering,
		    const struct clock *clock);
void generated_fini(struct generated *generated);

/*
 * Returns the catalog's function whose code was at the pc at that time stamp;
 * FUNCTION_GENERATED if unknown. All code of one name is one function. Sets
 * *how to PLACE_TIMED or a later value.
 */
uint32_t generated_function(struct generated *generated, uint64_t pc,
			    uint64_t tsc, enum sample_place *how);

/*
 * Returns the address in a module of the process that has the code which was
 * mapped from the module's file to the pc at that time stamp; 0 if none was.
 */
uint64_t generated_module_pc(struct generated *generated, uint64_t pc,
			     uint64_t tsc);

/*
 * Assigns a function to each call site in generated code
 * (WIRE_RANGE_GENERATED_CALLER), as of its first call.
 */
void generated_name_callers(struct generated *generated,
			    struct numbering *numbering);

/* Returns the site in that function, like told_code_site(); 0: unknown. */
uint32_t generated_site(struct generated *generated,
			const struct numbering *numbering, uint64_t pc,
			uint64_t tsc);

#endif
