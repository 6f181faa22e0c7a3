/* SPDX-License-Identifier: MIT */
/*
 * Where each thread of another process has a variable of libc's, seen from its
 * control block, without calling anything: by the code of a function that returns
 * the variable's address.
 */
#ifndef CLEW_CLI_ATTACH_THREAD_VARIABLE_H
#define CLEW_CLI_ATTACH_THREAD_VARIABLE_H

#include <stdint.h>

#define THREAD_VARIABLE_CODE_BYTES 21

/*
 * `code` is what the function has without hooks. memory: of the process, for
 * target_read(). 0; or -errno, -ENOTSUP for other code.
 */
int thread_variable_find(int memory, uint64_t function, const uint8_t *code,
			 int64_t *offset);

#endif
