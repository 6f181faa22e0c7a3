/* SPDX-License-Identifier: MIT */
/*
 * The system calls that clew makes in processes that it records.
 *
 * The list has all calls of preload/, and those of the functions of glibc that
 * clew calls in a process that it attaches to: dlopen(), dlclose() and the
 * allocator. A test compares it with the sources (e2e/attach_filtered).
 */
#ifndef CLEW_CLI_TARGET_OWN_CALLS_H
#define CLEW_CLI_TARGET_OWN_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "cli/target/filter_program.h"

struct own_call {
	const char *name;
	struct filtered_call call;
	/* WIRE_AVOIDS(...) if the library can do without the call, or 0 */
	uint64_t avoids;
};

enum { OWN_CALLS_MAX = 128 };

/* Returns the number of calls, at most OWN_CALLS_MAX, and the calls. */
size_t own_calls(const struct own_call **calls);

#endif
