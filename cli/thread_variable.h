/* SPDX-License-Identifier: MIT */
/*
 * Where each thread of another process has a variable of libc's, seen from its
 * control block, without calling anything: by the code of a function that returns
 * the variable's address.
 */
#ifndef CLEW_CLI_THREAD_VARIABLE_H
#define CLEW_CLI_THREAD_VARIABLE_H

#include <stdint.h>

/* memory: of the process, for target_read(). 0; or -errno, -ENOTSUP for other code. */
int thread_variable_find(int memory, uint64_t function, int64_t *offset);

#endif
