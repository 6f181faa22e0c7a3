/* SPDX-License-Identifier: MIT */
/*
 * clew's own probes: places in code that is not hooked but observed. A handler
 * is called before the code continues.
 *
 *	site		probe
 *	jmp probe -------->	rdi: the handler's first argument
 *				call *%fs:HOT_PROBE
 *				the displaced instructions
 *				...
 *				tail: argument, handler, kind and key
 *
 * A probe occupies the memory of one stub. Kind and key are at the same offsets
 * as in a stub, for code that finds stubs by an address. One thunk
 * (hot/thunks.inc) serves all probes and finds the handler in the tail.
 */
#ifndef CLEW_STUBS_PROBE_H
#define CLEW_STUBS_PROBE_H

#include "preload/stubs/stub_write.h"

/* The handler's first argument. */
enum probe_first {
	/*
	 * the value of rdi, which is the first argument of the observed
	 * function
	 */
	PROBE_FIRST_IS_KEPT,
	/*
	 * The stack pointer after the jump at the site (a leap, disasm/leap.h).
	 * The jump's target is stored PROBE_LEAP_PC bytes below the stack
	 * pointer that the handler gets.
	 */
	PROBE_FIRST_IS_TARGET,
};

/*
 * A handler, which is called with four arguments: the value that enum
 * probe_first selects, the stack pointer at the site, the argument of
 * probe_write(), and the probe's address. A handler runs between two
 * instructions of the program, so it must be warm code
 * (docs/internals/invariants.md) and safe in signal handlers.
 */
typedef void (*probe_handler)(void);

struct probe_kind {
	uint8_t verdict; /* verdict of the functions that get this probe */
	uint8_t first;   /* enum probe_first */
	probe_handler handler;
};

/*
 * Returns the kind of probe for a verdict, or NULL if the function gets a stub.
 */
const struct probe_kind *probe_kind_of(unsigned int verdict);

/*
 * Writes the probe for the code at function->pc to `at`, where it will run.
 * Returns 0, the -errno of relocate(), or -EILSEQ if the code differs from what
 * was analysed.
 */
int probe_write(const struct stub_constants *constants,
		const struct decoder *decoder, const struct probe_kind *kind,
		const struct stub_function *function, uint64_t argument,
		uint8_t *at);

#endif
