/* SPDX-License-Identifier: MIT */
/*
 * What a program that is executed inherits: a mask, and which signals are ignored.
 * Handlers on alternate stacks are kept from our signals (ticks.h); what one executes
 * is not.
 */
#ifndef CLEW_FRONT_EXEC_MASK_H
#define CLEW_FRONT_EXEC_MASK_H

#include <stdint.h>

struct exec_mask {
	uint64_t blocked;
	uint32_t ignored; /* chained.h */
};

/*
 * The calling thread is about to execute a program: with our signals let through,
 * and none of them to come. What this returns goes to exec_mask_end(), if it lives
 * to do so. Keep errno; as safe in handlers as exec is.
 */
struct exec_mask exec_mask_begin(void);
void exec_mask_end(struct exec_mask begun);

#endif
