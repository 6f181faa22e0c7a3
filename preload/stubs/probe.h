/* SPDX-License-Identifier: MIT */
/*
 * Probes of clew itself: code that is observed, not hooked. A handler is called
 * before the code continues.
 *
 *	site		probe
 *	jmp probe -------->	rdi: the handler's first argument
 *				call *%fs:HOT_PROBE
 *				the displaced instructions
 *				...
 *				tail: argument, handler, kind and key
 *
 * A probe takes a stub's slot in stub memory. The kind and key are where stubs
 * have theirs, for code that searches by address. One thunk (hot/thunks.inc)
 * serves all probes and finds the handler in the tail.
 */
#ifndef CLEW_STUBS_PROBE_H
#define CLEW_STUBS_PROBE_H

#include "preload/stubs/stub_write.h"

/* The handler's first argument. */
enum probe_first {
	/* rdi: the first argument of the observed function */
	PROBE_FIRST_IS_KEPT,
	/*
	 * rsp after the leap (disasm/leap.h) at the site. The leap's target pc
	 * is stored PROBE_LEAP_PC bytes below the stack pointer that the
	 * handler gets.
	 */
	PROBE_FIRST_IS_TARGET,
};

/*
 * Called as handler(first, sp, argument, probe): the value that enum
 * probe_first selects, the stack pointer at the site, probe_write()'s argument,
 * and the probe's address. Runs between two of the program's instructions: must
 * be warm code, safe in signal handlers.
 */
typedef void (*probe_handler)(void);

struct probe_kind {
	uint8_t verdict; /* of the functions that get this probe */
	uint8_t first;   /* enum probe_first */
	probe_handler handler;
};

/*
 * Returns the kind of probe for a verdict, or NULL if the function gets a stub.
 */
const struct probe_kind *probe_kind_of(unsigned int verdict);

/*
 * Writes at `at` (where it will run) the probe for the code at function->pc.
 * Returns 0, or -errno as relocate(); -EILSEQ if that code differs from the
 * analysed code.
 */
int probe_write(const struct stub_constants *constants,
		const struct decoder *decoder, const struct probe_kind *kind,
		const struct stub_function *function, uint64_t argument,
		uint8_t *at);

#endif
