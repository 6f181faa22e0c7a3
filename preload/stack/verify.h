/* SPDX-License-Identifier: MIT */
/*
 * Verification: whether a thread's id, from which its call counts, and the return
 * addresses on its stack tell of the same functions. Calls are drawn for it at
 * random, and reports say what came of it (struct wire_verdicts).
 */
#ifndef CLEW_STACK_VERIFY_H
#define CLEW_STACK_VERIFY_H

#include <stdint.h>

/*
 * Whether the calling thread's stack, from an address outwards, is that of the
 * function with an id, to its very beginning. Not where system calls are
 * filtered, which this needs.
 */
int verify_is_right(const void *from, uint64_t id);

#endif
