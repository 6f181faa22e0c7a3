/* SPDX-License-Identifier: MIT */
/* Calling handlers of the user's (agent/clew_handler.h) when their probes are hit. */
#ifndef CLEW_PROBE_PROBE_CALLS_H
#define CLEW_PROBE_PROBE_CALLS_H

#include <stdint.h>

#include "agent/clew_handler.h"
#include "wire/user_probe.h"

/* Whom a probe calls, and with what. Written before the probe's code is reached. */
struct probe_callee {
	clew_handler_function *_Atomic function; /* NULL: not loaded (yet) */
	int is_general; /* CLEW_HANDLER_IS_GENERAL; stored before it */
	const char *text;
	void *data;
};

/* By number of the probe. */
extern struct probe_callee probe_callees[WIRE_PROBES_MAX];

/*
 * Call it; the thread's calls are not counted meanwhile. `registers` is what lies on
 * the stack, `sp` the stack pointer, at the probe. 0: there is nobody to call.
 */
int probe_calls_run(struct clew_registers *registers, uint64_t sp,
		    uint32_t probe);

#endif
