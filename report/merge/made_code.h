/* SPDX-License-Identifier: MIT */
/*
 * Who made the memory executable that code of no module is in: what is known of code
 * that nobody announced. "(generated code of libx.so)", or with the name that the
 * mapping has, "(generated code of libx.so, memfd:jit)".
 *
 * Memory that is mapped from the file of a module has the same code as the module, at
 * another address: it is named as the module's.
 *
 * A forked child has its parent's, as of when it was forked.
 */
#ifndef CLEW_MERGE_MADE_CODE_H
#define CLEW_MERGE_MADE_CODE_H

#include "base/idmap.h"
#include "report/merge/numbering.h"
#include "report/model/clock.h"
#include "report/recording/recording_reader.h"

struct made_code {
	struct a2n_space *space; /* NULL: there is none */
	struct idmap functions;  /* id of a piece of it -> function */
	struct idmap modules; /* id of a piece -> from there to the module's */
};

/* Modules are those of the part's numbering; whatever is wrong is left out. */
void made_code_init(struct made_code *made, const struct recording *recording,
		    const struct part_copy *part, struct catalog *catalog,
		    const struct numbering *numbering,
		    const struct clock *clock);
void made_code_fini(struct made_code *made);

/* The function of the catalog that stands for code at the pc at that time, or 0. */
uint32_t made_code_function(const struct made_code *made, uint64_t pc,
			    uint64_t tsc);

/*
 * Where a module has the code that was mapped from its file to the pc at that time; 0:
 * the pc is in no such memory.
 */
uint64_t made_code_module_pc(const struct made_code *made, uint64_t pc,
			     uint64_t tsc);

/* Has the catalog know which modules of the part have made memory executable. */
void made_code_mark_makers(const struct part_copy *part,
			   struct catalog *catalog,
			   const struct numbering *numbering);

#endif
