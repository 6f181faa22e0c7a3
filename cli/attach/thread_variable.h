/* SPDX-License-Identifier: MIT */
/*
 * Finds the offset of one of libc's thread variables from the thread's control
 * block, without a call: from the code of a function that returns the
 * variable's address.
 */
#ifndef CLEW_CLI_ATTACH_THREAD_VARIABLE_H
#define CLEW_CLI_ATTACH_THREAD_VARIABLE_H

#include <stdint.h>

#define THREAD_VARIABLE_CODE_BYTES 21

/*
 * `code` is the function's code without hooks, `memory` the process's, for
 * target_read(). Returns 0 or -errno; -ENOTSUP if the code is not recognized.
 */
int thread_variable_find(int memory, uint64_t function, const uint8_t *code,
			 int64_t *offset);

#endif
