/* SPDX-License-Identifier: MIT */
/*
 * The code that one process generated, by what it announced of it.
 *
 * Names are read when the first sample in such code comes. A jitdump says when
 * each piece came, a perf map only in which order: there the newest of those
 * that cover an address is the one, whenever the sample was. Both may be there;
 * the jitdump knows more. A child that was forked has its parent's code, by the
 * parent's files, unless it has its own. What a runtime told clew itself comes
 * before both; behind both, whose memory it is in (made_code.h).
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
	struct recording *recording; /* is told what cannot be read */
	const struct part_copy *part;
	struct catalog *catalog;
	const struct clock *clock;
	const struct numbering *numbering;
	struct told_code told;   /* in the part itself */
	struct made_code made;   /* likewise */
	struct a2n_space *space; /* NULL: nothing was announced */
	struct idmap functions;  /* id of a piece of code -> function */
	int is_read;
	int is_by_tsc; /* the stamps of its jitdump are those of samples */
};

void generated_init(struct generated *generated, struct recording *recording,
		    const struct part_copy *part, struct catalog *catalog,
		    const struct numbering *numbering,
		    const struct clock *clock);
void generated_fini(struct generated *generated);

/*
 * The function of the catalog whose code was at the pc at that time stamp;
 * FUNCTION_GENERATED where nobody knows. All code of one name is one function.
 * *how: PLACE_TIMED and later.
 */
uint32_t generated_function(struct generated *generated, uint64_t pc,
			    uint64_t tsc, enum sample_place *how);

/*
 * Where a module of the process has the code that was mapped from its file to the pc at
 * that time stamp; 0: nothing was.
 */
uint64_t generated_module_pc(struct generated *generated, uint64_t pc,
			     uint64_t tsc);

/*
 * Give each place that such code calls from (WIRE_RANGE_GENERATED_CALLER) its function, as
 * of the first call.
 */
void generated_name_callers(struct generated *generated,
			    struct numbering *numbering);

/* Where in that function, as told_code_site() says it; 0: unknown. */
uint32_t generated_site(struct generated *generated,
			const struct numbering *numbering, uint64_t pc,
			uint64_t tsc);

#endif
