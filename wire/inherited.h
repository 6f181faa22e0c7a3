/* SPDX-License-Identifier: MIT */
/*
 * The data that the part of a forked child takes over from its ancestors'
 * parts, which are in the same folder: a reference to each chunk that also
 * describes the child. The ancestors no longer change these chunks, except for
 * the time when a module was unloaded. The child's file is therefore small and
 * quickly created:
 *
 *	PID.0.part	|header|process|module|module|tally ...
 *			       ^               ^
 *	CHILD.0.part	|header|inherited|
 *
 * A grandchild refers to the part that contains the chunk, not to the child's
 * part.
 */
#ifndef CLEW_WIRE_INHERITED_H
#define CLEW_WIRE_INHERITED_H

#include <stdint.h>

struct wire_inherited {
	/*
	 * WIRE_PROCESS or WIRE_MODULE; WIRE_FREE: the child has its own copy.
	 */
	_Atomic uint32_t kind;
	uint32_t first_function; /* WIRE_MODULE: as in the chunk, else 0 */
	uint32_t pid, seq;       /* of the part that contains the chunk */
	uint64_t start_ns;       /* as in that part's header */
	uint64_t offset;         /* of the chunk in that file */
	uint64_t used;           /* of the chunk's payload, in bytes */
	uint64_t unloaded_ns; /* WIRE_MODULE: replaces the value in the chunk */
};
_Static_assert(sizeof(struct wire_inherited) == 48, "on the wire");

#endif
