/* SPDX-License-Identifier: MIT */
/*
 * Decides whether a module may get stubs. The module gets none if the program
 * would then lack memory of its control group, or mappings (wire/hook_memory.h
 * computes what stubs need).
 */
#ifndef CLEW_HOOKING_HOOK_ROOM_H
#define CLEW_HOOKING_HOOK_ROOM_H

#include <stdint.h>

/* The resources that one pass over modules takes. Zero-initialise it. */
struct hook_room {
	/*
	 * Number of functions that will be overwritten at the end of this pass.
	 */
	uint64_t functions;
	/* Number of mappings of the process at the first check; 0 before it. */
	uint64_t mappings;
};

/*
 * Checks whether there are enough memory and mappings to hook this number of
 * functions, and if so adds the number to room->functions. A small number is
 * added without a check. Mappings are not checked in the first pass of a
 * session (is_before_main). Returns 1, or 0 if there is no room.
 */
int hook_room_take(struct hook_room *room, uint64_t functions,
		   int is_before_main);

/*
 * Returns whether this number of mappings may be added. Any thread may call it.
 */
int hook_room_has_mappings(uint64_t wanted);

#endif
