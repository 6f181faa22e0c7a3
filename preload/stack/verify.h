/* SPDX-License-Identifier: MIT */
/*
 * Verification compares a thread's id with the return addresses on its stack.
 * Calls to verify are selected at random; reports show the results (struct
 * wire_verdicts).
 */
#ifndef CLEW_STACK_VERIFY_H
#define CLEW_STACK_VERIFY_H

#include <stdint.h>

/*
 * Returns whether the calling thread's stack, from an address outwards to its
 * beginning, is that of the function with this id. Returns false also if the
 * stack can be followed only in part, for example behind a system call filter.
 */
int verify_is_right(const void *from, uint64_t id);

#endif
