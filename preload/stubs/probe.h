/* SPDX-License-Identifier: MIT */
/*
 * Code that is watched, not hooked: a handler is called before it goes on.
 *
 *	site			probe
 *	jmp probe -------->	rdi: the handler's first argument
 *				call *%fs:HOT_PROBE
 *				the displaced instructions
 *				...
 *				tail: argument, handler, kind and key
 *
 * Takes a stub's place in stub memory, and what finds its way in there by
 * address finds a kind and a key where stubs have theirs. The thunk
 * (hot/thunks.inc), which is one for all probes, finds the handler in the tail.
 */
#ifndef CLEW_STUBS_PROBE_H
#define CLEW_STUBS_PROBE_H

#include "preload/stubs/stub_write.h"

/* What a handler is called with first. */
enum probe_first {
	PROBE_FIRST_IS_KEPT, /* rdi: the first argument of a watched function */
	/*
	 * rsp after the leap (disasm/leap.h) at the site. Where that jumps to, stands
	 * PROBE_LEAP_PC bytes below the stack pointer that the handler is told.
	 */
	PROBE_FIRST_IS_TARGET,
};

/*
 * Called as handler(first, sp, argument, probe): what enum probe_first says, the stack
 * pointer at the site, what probe_write() was given, and where it has written. Runs between two of the
 * program's instructions: must be warm code, safe in signal handlers.
 */
typedef void (*probe_handler)(void);

struct probe_kind {
	uint8_t verdict; /* of the functions that get such a probe */
	uint8_t first;   /* enum probe_first */
	probe_handler handler;
};

/* The kind of probe that a verdict asks for, or NULL for a function's stub. */
const struct probe_kind *probe_kind_of(unsigned int verdict);

/*
 * Write at `at` (where it will run) the probe of the code at function->pc. 0,
 * or -errno from relocate(); -EILSEQ if that code is not what was analysed.
 */
int probe_write(const struct stub_constants *constants,
		const struct decoder *decoder, const struct probe_kind *kind,
		const struct stub_function *function, uint64_t argument,
		uint8_t *at);

#endif
