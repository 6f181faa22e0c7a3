/* SPDX-License-Identifier: MIT */
/*
 * The turn is the right to create patches, and to change the list of modules
 * and the memory for stubs. Only one thread has it at a time. A thread that
 * loads or unloads a module takes it when the loader calls clew, for example,
 * and clew's own thread takes it to change probes (live_probes.h).
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
