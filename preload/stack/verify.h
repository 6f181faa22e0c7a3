/* SPDX-License-Identifier: MIT */
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
