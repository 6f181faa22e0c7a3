/* SPDX-License-Identifier: MIT */
/*
 * What a forked child's part has from its ancestors' parts, which are in the same
 * folder: chunks of theirs that say of the child, too, what they say, and that
 * nobody changes any more but for when a module was unloaded. So a child's file
 * is small, and is made at once:
 *
 *	PID.0.part	|header|process|module|module|tally ...
 *			           ^       ^      ^
 *	CHILD.0.part	|header|inherited|
 *
 * A grandchild names the part in which a chunk is, not the child's.
 */
#ifndef CLEW_WIRE_INHERITED_H
#define CLEW_WIRE_INHERITED_H

#include <stdint.h>

struct wire_inherited {
	/* WIRE_PROCESS or WIRE_MODULE; WIRE_FREE: the child has a copy of its own */
	_Atomic uint32_t kind;
	uint32_t first_function; /* WIRE_MODULE: as there, else 0 */
	uint32_t pid, seq;       /* of the part that has the chunk */
	uint64_t start_ns;       /* as in that part's header */
	uint64_t offset;         /* of the chunk, in its file */
	uint64_t used;           /* of the chunk's payload, in bytes */
	uint64_t unloaded_ns; /* WIRE_MODULE: in place of what stands there */
};
_Static_assert(sizeof(struct wire_inherited) == 48, "on the wire");

#endif
