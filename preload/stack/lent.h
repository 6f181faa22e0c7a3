/* SPDX-License-Identifier: MIT */
/*
 * Stack searches look for addresses of stubs in slots. While an exception
 * unwinds, a running function may have its real return address in its slot
 * instead, a "loan" (loans.h). lent_has() recognizes such slots.
 */
#ifndef CLEW_STACK_LENT_H
#define CLEW_STACK_LENT_H

#include <stdint.h>

#include "preload/hot/thread.h"

/*
 * Returns whether the stack slot at this address holds such a return address.
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
