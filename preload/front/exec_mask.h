/* SPDX-License-Identifier: MIT */
/*
 * The signal mask and the ignored signals, which an executed program inherits.
 * Handlers on alternate stacks run with clew's signals blocked (ticks.h); a
 * program that such a handler executes must not.
 */
#ifndef CLEW_FRONT_EXEC_MASK_H
#define CLEW_FRONT_EXEC_MASK_H

#include <stdint.h>

struct exec_mask {
	uint64_t blocked;
	uint32_t ignored; /* argument of chained_handle_again() (chained.h) */
};

/*
 * The calling thread is about to execute a program: unblocks clew's signals
 * after stopping their timers. Pass the result to exec_mask_end() if exec
 * fails. Both preserve errno and are as safe in signal handlers as exec.
 */
struct exec_mask exec_mask_begin(void);
void exec_mask_end(struct exec_mask begun);

#endif
