/* SPDX-License-Identifier: MIT */
/*
 * Tells code that searches stacks for stubs' addresses whether a running
 * function has its own return address on the stack instead, on loan to an
 * exception (loans.h).
 */
#ifndef CLEW_STACK_LENT_H
#define CLEW_STACK_LENT_H

#include <stdint.h>

#include "preload/hot/thread.h"

/*
 * Returns whether the function with this slot has its return address on loan.
 */
static inline int lent_has(uint64_t at)
{
	if (!(hot.loans.filter >> at / 8 % 64 & 1))
		return 0;
	for (uint32_t i = 0; i < hot.aside->lent.count; i++)
		if (hot.aside->lent.of[i].at == at)
			return 1;
	return 0;
}

#endif
