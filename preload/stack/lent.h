/* SPDX-License-Identifier: MIT */
/*
 * Whether a running function has its own return address on the stack instead of
 * its stub's, as those have that an exception is on its way through (loans.h). For
 * whoever looks for stubs' addresses on stacks.
 */
#ifndef CLEW_STACK_LENT_H
#define CLEW_STACK_LENT_H

#include <stdint.h>

#include "preload/hot/thread.h"

/* Whether the function whose slot this is has its return address back. */
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
