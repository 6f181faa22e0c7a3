/* SPDX-License-Identifier: MIT */
/*
 * Finds out which system calls the seccomp filters of clew itself forbid. A
 * program that `clew record` starts inherits them, and they may kill it at a
 * call of the library.
 *
 * A process cannot read its own filters. Therefore a child makes each call of
 * the library with invalid arguments, and is replaced by another child whenever
 * a filter has killed it.
 */
#ifndef CLEW_CLI_RECORDING_INHERITED_FILTER_H
#define CLEW_CLI_RECORDING_INHERITED_FILTER_H

#include <stdint.h>

/*
 * Adds the calls at which a filter kills to *avoided (wire/avoidable.h). Does
 * nothing if there is no filter. Returns 0, or -EPERM and *why if the library
 * cannot do without one of them.
 */
int inherited_filter_check(uint64_t *avoided, char **why);

#endif
