/* SPDX-License-Identifier: MIT */
/*
 * Finds the distance of one of libc's thread variables from the thread's
 * control block. Does not call code of the process, but reads the machine code
 * of a function that returns the variable's address, such as
 * __errno_location().
 */
#ifndef CLEW_CLI_ATTACH_THREAD_VARIABLE_H
#define CLEW_CLI_ATTACH_THREAD_VARIABLE_H

#include <stdint.h>

#define THREAD_VARIABLE_CODE_BYTES 21

/*
 * Finds the distance. `function` is the function's address in the process,
 * `code` its machine code without hooks, `memory` the open /proc/PID/mem.
 * Stores the distance in *offset. Returns 0 or -errno; -ENOTSUP if the code has
 * an unknown form.
 */
int thread_variable_find(int memory, uint64_t function, const uint8_t *code,
			 int64_t *offset);

#endif
