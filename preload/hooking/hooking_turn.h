/* SPDX-License-Identifier: MIT */
/*
 * Whose turn it is to make patches: the thread that the loader tells of its modules, or
 * one of clew's own that changes probes (live_probes.h). What they share, modules and
 * memory for stubs, is theirs meanwhile.
 *
 * Signals stay as they are: to analyse a module may take a while.
 */
#ifndef CLEW_HOOKING_HOOKING_TURN_H
#define CLEW_HOOKING_HOOKING_TURN_H

#include <stdint.h>

#define HOOKING_TURN_EVER UINT64_MAX

/*
 * 1; 0 if the calling thread has it already; or -EBUSY when CLOCK_MONOTONIC is
 * deadline_ns. Who holds it and is gone, as in a forked child, does not hold it.
 */
int hooking_turn_take(uint64_t deadline_ns);
void hooking_turn_give(void);

#endif
