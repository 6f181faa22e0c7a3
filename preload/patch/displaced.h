/* SPDX-License-Identifier: MIT */
/*
 * Whose the displaced instructions are: the hook of a function has its stub execute
 * them, in another place than the program has them.
 */
#ifndef CLEW_PATCH_DISPLACED_H
#define CLEW_PATCH_DISPLACED_H

#include <stdint.h>

/*
 * Where the program has what is executed, or returned to, at a pc among the
 * displaced instructions of a stub: in the same function, and at the same instruction
 * where none before it has another length in the stub. 0: the pc is not in such.
 * Any thread; safe in signal handlers.
 */
uint64_t displaced_pc(uint64_t pc);

#endif
