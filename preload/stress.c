/* SPDX-License-Identifier: MIT */
#include "preload/stress.h"

#include "preload/cold.h"
#include "preload/hot/runtime.h"
#include "preload/part_check.h"

/* Only the first, whatever it is that was found. */
static void note(enum violation found)
{
	uint32_t none = VIOLATION_IS_NONE;

	if (!found)
		return;
	atomic_compare_exchange_strong(&rt.header->first_violation, &none,
				       (uint32_t)found);
	atomic_fetch_add(&rt.header->violations, 1);
}

void stress_check(void)
{
	if (!rt.header || rt.is_unrecorded || runtime_is_filtered())
		return;
	note(part_check(&rt.cold->part));
}
