/* SPDX-License-Identifier: MIT */
/*
 * Finds the original addresses of displaced instructions, which a function's
 * stub executes elsewhere.
 */
#ifndef CLEW_LOOKUP_DISPLACED_H
#define CLEW_LOOKUP_DISPLACED_H

#include <stdint.h>

/*
 * Returns the program's address of a pc, or return address, among the displaced
 * instructions of a stub: in the same function, and at the same instruction if
 * none before it has another length in the stub. Returns 0 for any other pc.
 * Any thread; safe in signal handlers.
 */
uint64_t displaced_pc(uint64_t pc);

#endif
