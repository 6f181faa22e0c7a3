/* SPDX-License-Identifier: MIT */
/*
 * The turn to create patches: one thread at a time has it. The loader's reports
 * give the turn to the thread that loads; changing probes gives it to clew's
 * own thread (live_probes.h). The thread may then change the modules and the
 * memory for stubs.
 *
 * Unlike a lock, the turn blocks no signals, because analysing a module may
 * take long.
 */
#ifndef CLEW_HOOKING_HOOKING_TURN_H
#define CLEW_HOOKING_HOOKING_TURN_H

#include <stdint.h>

#define HOOKING_TURN_EVER UINT64_MAX

/*
 * Waits for the turn until CLOCK_MONOTONIC reaches deadline_ns. Returns 1 when
 * the thread has got the turn, 0 if it had the turn already, or -EBUSY at the
 * deadline. A thread that does not exist any more loses the turn, also in a
 * forked child.
 */
int hooking_turn_take(uint64_t deadline_ns);
void hooking_turn_give(void);

#endif
