/* SPDX-License-Identifier: MIT */
/*
 * Calls handlers of the user (agent/clew_handler.h) when their probes are hit.
 */
#ifndef CLEW_PROBE_PROBE_CALLS_H
#define CLEW_PROBE_PROBE_CALLS_H

#include <stdint.h>

#include "agent/clew_handler.h"
#include "wire/user_probe.h"

/*
 * The handler of a probe and its arguments. `function` and `is_general` are
 * stored when the handler's object is loaded, the rest before the probe's code
 * can be reached.
 */
struct probe_callee {
	/* NULL if the handler's object is not loaded */
	clew_handler_function *_Atomic function;
	int is_general; /* CLEW_HANDLER_IS_GENERAL; stored before `function` */
	const char *text;
	void *data;
};

/* Indexed by the probe's number. */
extern struct probe_callee probe_callees[WIRE_PROBES_MAX];

/*
 * Calls the handler of a probe. The thread's calls are not counted meanwhile,
 * unless the handler is general. `registers` are the saved registers on the
 * stack, `sp` is the stack pointer at the probe. Returns 0 if no handler is
 * loaded.
 */
int probe_calls_run(struct clew_registers *registers, uint64_t sp,
		    uint32_t probe);

#endif
