/* SPDX-License-Identifier: MIT */
/*
 * Makers: the modules that made memory executable whose code belongs to no
 * module and was not announced. This code is named "(generated code of
 * libx.so)" or, if the mapping has a name, "(generated code of libx.so,
 * memfd:jit)".
 *
 * Memory that is mapped from a module's file contains the module's code at
 * another address and gets the module's names.
 *
 * A forked child has its parent's makers as of the fork.
 */
#ifndef CLEW_MERGE_MADE_CODE_H
#define CLEW_MERGE_MADE_CODE_H

#include "base/idmap.h"
#include "report/merge/numbering.h"
#include "report/model/clock.h"
#include "report/recording/recording_reader.h"

struct made_code {
	struct a2n_space *space; /* NULL: no records */
	struct idmap functions;  /* id of a range -> function */
	/* id of a range -> distance to the module's code */
	struct idmap modules;
};

/* `numbering` must contain the part's modules. Invalid records are skipped. */
void made_code_init(struct made_code *made, const struct recording *recording,
		    const struct part_copy *part, struct catalog *catalog,
		    const struct numbering *numbering,
		    const struct clock *clock);
void made_code_fini(struct made_code *made);

/* Returns the catalog's function for code at the pc at that time, or 0. */
uint32_t made_code_function(const struct made_code *made, uint64_t pc,
			    uint64_t tsc);

/*
 * Returns the address of the same code in the module from whose file the pc was
 * mapped at that time; 0: the pc is in no such memory.
 */
uint64_t made_code_module_pc(const struct made_code *made, uint64_t pc,
			     uint64_t tsc);

/* Sets `is_maker` of the part's modules that have made memory executable. */
void made_code_mark_makers(const struct part_copy *part,
			   struct catalog *catalog,
			   const struct numbering *numbering);

#endif
