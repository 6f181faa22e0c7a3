/* SPDX-License-Identifier: MIT */
/* See stress.h. */
#include "preload/record/stress.h"

#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/record/part_check.h"
#include "preload/record/recorder.h"
#include "preload/record/tally_check.h"
#include "preload/sys/sys.h"

void stress_note(enum violation found)
{
	uint32_t none = VIOLATION_IS_NONE;

	if (!found || !rt.header)
		return;
	atomic_compare_exchange_strong(&rt.header->first_violation, &none,
				       (uint32_t)found);
	atomic_fetch_add(&rt.header->violations, 1);
}

void stress_check(void)
{
	uint64_t signals;

	if (!rt.header || rt.is_unrecorded || runtime_is_filtered())
		return;
	stress_note(part_check(&rt.recorder->part));
	sys_block_signals(&signals);
	if (hot.tally)
		stress_note(tally_check(hot.tally, &rt.recorder->part, 0));
	sys_restore_signals(&signals);
}
