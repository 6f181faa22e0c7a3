/* SPDX-License-Identifier: MIT */
/*
 * Whether stubs of a module may be made: not if the program would lack the memory of
 * its control group, or mappings (wire/hook_memory.h says what they take).
 */
#ifndef CLEW_HOOKING_HOOK_ROOM_H
#define CLEW_HOOKING_HOOK_ROOM_H

#include <stdint.h>

/* What one pass over modules takes. Zero-initialise it. */
struct hook_room {
	uint64_t
		functions; /* that are to be written over at the end of the pass */
	uint64_t
		mappings; /* of the process at the first question; 0: none yet */
};

/*
 * Takes room for so many functions of a module, which are written over at the end of the
 * pass. Mappings are not checked before main. Returns 0 if there is no room.
 */
int hook_room_take(struct hook_room *room, uint64_t functions,
		   int is_before_main);

/* Whether so many mappings may be added. Any thread. */
int hook_room_has_mappings(uint64_t wanted);

#endif
