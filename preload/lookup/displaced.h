/* SPDX-License-Identifier: MIT */
/*
 * Finds the original addresses of displaced instructions, which a function's
 * stub executes elsewhere.
 */
#ifndef CLEW_LOOKUP_DISPLACED_H
#define CLEW_LOOKUP_DISPLACED_H

#include <stdint.h>

/*
 * If pc is the address of a displaced instruction in a stub, or a return
 * address behind one, returns the corresponding address in the original
 * function. The result is the same instruction, unless an earlier one has
 * another length in the stub; then it is still in the same function. Returns 0
 * for any other pc. Any thread may call this function, also in a signal
 * handler.
 */
uint64_t displaced_pc(uint64_t pc);

#endif
