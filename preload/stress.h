/* SPDX-License-Identifier: MIT */
/*
 * The stress build: cmake -DCLEW_STRESS=ON.
 *
 * It is slower, and harder on itself: it walks the runtime's own structures at
 * each fork and at the end, where an ordinary build trusts them. What it finds
 * broken is data like everything else, so that the program still runs on; the
 * reports and the tests are loud about it (wire/violation.h).
 *
 * CLEW_STRESS is defined as 0 or 1 in every build: code that is for a stress
 * build only says `if (CLEW_STRESS)`.
 */
#ifndef CLEW_PRELOAD_STRESS_H
#define CLEW_PRELOAD_STRESS_H

#include "preload/hot/runtime.h"
#include "wire/violation.h"

/* Records what was found, if anything; any thread, signal handlers included. */
static inline void stress_note(enum violation found)
{
	uint32_t none = VIOLATION_IS_NONE;

	if (!found || !rt.header)
		return;
	atomic_compare_exchange_strong(&rt.header->first_violation, &none,
				       (uint32_t)found);
	atomic_fetch_add(&rt.header->violations, 1);
}

#endif
