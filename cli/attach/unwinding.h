/* SPDX-License-Identifier: MIT */
/*
 * Finds the functions that the threads of a stopped process are in, by
 * libunwind.
 *
 * Registers are those at the stop. Memory is read and cached by the page,
 * because the process waits meanwhile. Only call frame information in the
 * memory of modules is used: guesses by libunwind would be taken for return
 * addresses.
 */
#ifndef CLEW_CLI_ATTACH_UNWINDING_H
#define CLEW_CLI_ATTACH_UNWINDING_H

#include <libunwind.h>

#include "cli/attach/tracer.h"
#include "cli/target/target.h"
#include "wire/attachment.h"

struct unwinding;

/* Requires all threads to be stopped. Returns NULL if out of memory. */
struct unwinding *unwinding_create(int memory, const struct target_maps *maps);
void unwinding_destroy(struct unwinding *unwinding);

/*
 * Initializes a cursor for libunwind's own functions, which guess where there
 * is no call frame information. Returns 0 or -errno.
 */
int unwinding_begin(struct unwinding *unwinding, const struct tracee *thread,
		    unw_cursor_t *cursor);

/*
 * Finds a thread's frames that have a return address, innermost first. Returns
 * their number, or -errno if not all are found or there are more than `room`.
 */
long unwinding_frames(struct unwinding *unwinding, const struct tracee *thread,
		      struct wire_frame *frames, size_t room);

#endif
