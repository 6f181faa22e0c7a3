/* SPDX-License-Identifier: MIT */
/*
 * Calls of handlers. This code runs between any two instructions of the
 * program: with general registers only, without locks, and without libc except
 * for errno, which is preserved.
 */
#include "preload/probe/probe_calls.h"

#include <errno.h>
#include <stdatomic.h>

#include "preload/hot/switch.h"
#include "preload/hot/thread.h"
#include "preload/probe/vector_call.h"
#include "wire/id.h"

struct probe_callee probe_callees[WIRE_PROBES_MAX];

/*
 * Calls a handler. The handler's frame is stored before anything else, and
 * cleared last. A signal handler that jumps out of the probe's handler finds it
 * there (stack/landing.c), and so does the report of a crash (front/faults.c).
 *
 * A general handler calls no hooked function, so it need not be muted. Signal
 * handlers that interrupt it count as usual.
 */
static void call_generally(clew_handler_function *function,
			   struct clew_hit *hit)
{
	hot.handler.frame = hit->stack;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	function(hit);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hot.handler.frame = 0;
}

static void call_anything(clew_handler_function *function, struct clew_hit *hit)
{
	int saved_errno;

	hot.handler.muted = hot.muted;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hot.handler.frame = hit->stack;
	switch_mute(HOT_MUTED_HANDLER);
	saved_errno = errno;
	vector_call(hit, (void (*)(void *))function);
	errno = saved_errno;
	switch_unmute(hot.handler.muted);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hot.handler.frame = 0;
}

/* Aligns the stack, which at a probe has the program's alignment. */
__attribute__((force_align_arg_pointer)) int probe_calls_run(
	struct clew_registers *registers, uint64_t sp, uint32_t probe)
{
	struct probe_callee *const callee = &probe_callees[probe];
	clew_handler_function *const function =
		atomic_load_explicit(&callee->function, memory_order_acquire);
	struct clew_hit hit = {
		.bytes = sizeof(hit),
		.probe = probe + 1,
		.id = hot.tally && !hot.muted ? hot.id : ID_ROOT,
		.registers = registers,
		.stack = sp,
		.text = callee->text,
		.data = &callee->data,
	};

	if (!function)
		return 0;
	hot.handler.probe = probe;
	if (callee->is_general)
		call_generally(function, &hit);
	else
		call_anything(function, &hit);
	return 1;
}
