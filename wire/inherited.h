/* SPDX-License-Identifier: MIT */
/*
 * References in the part of a forked child to chunks in its ancestors' parts,
 * which are in the same folder. Each of these chunks also describes the child.
 * In such a chunk, an ancestor changes at most the time when a module was
 * unloaded. References instead of copies keep the child's file small and the
 * fork fast:
 *
 *	PID.0.part	|header|process|module|module|tally ...
 *			       ^               ^
 *	CHILD.0.part	|header|inherited|
 *
 * The part of a grandchild refers directly to the part that contains the chunk,
 * not to the child's part.
 */
#ifndef CLEW_WIRE_INHERITED_H
#define CLEW_WIRE_INHERITED_H

#include <stdint.h>

struct wire_inherited {
	/*
	 * WIRE_PROCESS or WIRE_MODULE. WIRE_FREE: the reference is not valid
	 * any more, because the child's part has its own copy of the chunk.
	 */
	_Atomic uint32_t kind;
	/* WIRE_MODULE: the module's first_function; other kinds: 0. */
	uint32_t first_function;
	/* Pid and seq of the part that contains the chunk. */
	uint32_t pid, seq;
	uint64_t start_ns; /* start_ns in the header of that part */
	uint64_t offset;   /* offset of the chunk in that part */
	/* Bytes of the chunk's payload that are used. */
	uint64_t used;
	/* WIRE_MODULE: valid for the child instead of the chunk's value */
	uint64_t unloaded_ns;
};
_Static_assert(sizeof(struct wire_inherited) == 48, "on the wire");

#endif
