/* SPDX-License-Identifier: MIT */
/*
 * The cost of one function by instruction and by source line.
 *
 * Self time comes from the addresses of samples. The time of a callee is that
 * of its context, and it belongs to the site of the first call in this context.
 * Calls belong there also, unless the recording has the site of each call.
 * Addresses are those of the module's file. Code of a function may lie in
 * several ranges, for example in that of `f` and of `f.cold`. Code of a runtime
 * has announced lines only (report/model/announced_lines.h) and no
 * instructions.
 */
#ifndef CLEW_CODE_ANNOTATION_H
#define CLEW_CODE_ANNOTATION_H

#include "report/code/call_sites.h"
#include "report/code/instructions.h"
#include "report/model/confidence.h"
#include "report/view/session.h"

#define NO_ITEM UINT32_MAX

struct code_cost {
	uint64_t ns, samples;
	uint64_t calls; /* number of calls that are made here */
};

/* A source line. */
struct annotated_line {
	const char *file; /* path as in debug information */
	uint32_t line;
	/* used by annotation.c only: index before the lines were sorted */
	uint32_t index;
	/*
	 * The inlined function to which the line belongs, or NULL for the
	 * function itself.
	 */
	const char *inlined;
	struct code_cost self;
	/* cost including the functions that are inlined there */
	struct code_cost own;
	/*
	 * Time including the functions that are inlined and called there. In
	 * recursion, an inner call counts once.
	 */
	uint64_t total_ns;
};

struct annotated_row {
	struct code_cost cost;
	/* time including the functions that are called there */
	uint64_t total_ns;
	uint32_t line; /* index in `lines` of the innermost line, or NO_ITEM */
};

struct annotation {
	uint32_t function; /* the function's index in the catalog */
	uint32_t module;   /* index of the module, or CATALOG_NO_MODULE */
	struct measure self;
	uint64_t total_ns; /* time including all callees */
	/* Time of samples without an address, and of calls without a site. */
	uint64_t unplaced_ns, unplaced_calls_ns;
	/* whether callees with time are at known lines or instructions */
	int has_callees;
	/* whether the numbers of calls are those of recorded call sites */
	int has_call_sites;
	struct vaddr_range *ranges;
	size_t range_count, range_capacity;
	struct instructions code;
	/* why there are no instructions, or NULL if there are some */
	char *why;
	/* an array with a row for each instruction */
	struct annotated_row *rows;
	/*
	 * the function's own lines first, then those of each inlined function
	 */
	struct annotated_line *lines;
	size_t line_count, line_capacity;
};

/*
 * Returns the function whose code a node of the tree is: of inlined functions,
 * the one that contains them.
 */
uint32_t annotation_function_of(const struct catalog *catalog,
				const struct tree *tree, uint32_t node);

/* Finds the costs of a function. `sites` may be empty. */
void annotation_init(struct annotation *annotation, struct session *session,
		     uint32_t function, const struct call_sites *sites);
void annotation_fini(struct annotation *annotation);

/* Returns the 95 % interval of the share that a cost has in the function. */
struct share_interval annotation_share(const struct annotation *annotation,
				       const struct code_cost *cost);

#endif
