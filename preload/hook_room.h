/* SPDX-License-Identifier: MIT */
/*
 * Whether stubs of a module may be made: not if the program would lack the memory of
 * its control group, or mappings (wire/hook_memory.h says what they take).
 */
#ifndef CLEW_HOOK_ROOM_H
#define CLEW_HOOK_ROOM_H

#include <stdint.h>

/*
 * So many functions of a module, beside those that have been prepared in the same
 * pass and are not written over yet. Before main nobody counts mappings. Any thread.
 */
int hook_room_allows(uint64_t functions, uint64_t prepared, int is_before_main);

#endif
