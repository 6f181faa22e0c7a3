/* SPDX-License-Identifier: MIT */
/* See dispatch.h. */
#include "preload/process/dispatch.h"

#include <stdint.h>
#include <sys/prctl.h>

#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/process/filter.h"
#include "preload/sys/own_code.h"
#include "preload/sys/sys.h"
#include "preload/time/ticks.h"

/*
 * PR_SYS_DISPATCH_ON: sends calls from outside of the address range to the
 * handler.
 */
#define MODE_EXCLUSIVE 1
/* sends calls from inside of the range; since Linux 6.16 */
#define MODE_INCLUSIVE 2

/* The selector of threads without one: all calls are dispatched. */
static const uint8_t always = 1;

/* Number of threads whose calls may be dispatched. Any thread writes it. */
static _Atomic uint32_t threads;

static int has_ours(long mode, uint64_t start, uint64_t bytes)
{
	const uint64_t own_start = own_code_start(), own_end = own_code_end();

	if (mode == MODE_EXCLUSIVE)
		return own_start < start || own_end > start + bytes;
	return mode == MODE_INCLUSIVE && own_end > start &&
	       own_start < start + bytes;
}

long dispatch_set(long mode, long start, long bytes, long selector)
{
	const int was_on = hot.selector != NULL;
	const int is_wanted = has_ours(mode, (uint64_t)start, (uint64_t)bytes);
	int is_on = was_on;
	long result;

	if (is_wanted && !was_on) {
		filter_make_room();
		ticks_pause_thread();
		threads++;
	}
	result = sys_call_anyway(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, mode,
				 start, bytes, selector, 0);
	if (!result) {
		is_on = is_wanted;
		hot.selector = !is_wanted ? NULL
			       : selector ? (const uint8_t *)selector
					  : &always;
	}
	if (!is_on && (was_on || is_wanted)) {
		threads--;
		ticks_resume_thread();
	}
	return result;
}

int dispatch_is_on(void)
{
	return threads != 0;
}

void dispatch_forget(void)
{
	hot.selector = NULL;
	threads = 0;
}
