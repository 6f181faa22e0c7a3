/* SPDX-License-Identifier: MIT */
/*
 * References in the part of a forked child to chunks in its ancestors' parts,
 * which are in the same folder. Each of these chunks also describes the child.
 * The ancestors do not change them any more, except for the time when a module
 * was unloaded. With references instead of copies the child's file is small and
 * quickly created:
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
	 * WIRE_PROCESS or WIRE_MODULE. It becomes WIRE_FREE when the reference
	 * is not valid any more, because the child's part has its own copy of
	 * the chunk.
	 */
	_Atomic uint32_t kind;
	/* For WIRE_MODULE the same as in the chunk, for other kinds 0. */
	uint32_t first_function;
	/* Pid and seq of the part that contains the chunk. */
	uint32_t pid, seq;
	uint64_t start_ns; /* start_ns in the header of that part */
	uint64_t offset;   /* offset of the chunk in that part */
	/* Bytes of the chunk's payload that are used. */
	uint64_t used;
	/* for WIRE_MODULE: replaces the value in the chunk */
	uint64_t unloaded_ns;
};
_Static_assert(sizeof(struct wire_inherited) == 48, "on the wire");

#endif
