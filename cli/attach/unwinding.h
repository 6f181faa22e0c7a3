/* SPDX-License-Identifier: MIT */
/*
 * What functions the threads of a stopped process are in, by libunwind.
 *
 * Registers are those that were taken when the thread stopped, and memory is read
 * a page at once and kept: the process waits meanwhile. Only call frame information
 * is followed, as it lies in the memory of modules; libunwind's guesses where there
 * is none would be taken for return addresses.
 */
#ifndef CLEW_CLI_ATTACH_UNWINDING_H
#define CLEW_CLI_ATTACH_UNWINDING_H

#include <libunwind.h>

#include "cli/attach/tracer.h"
#include "cli/target/target.h"
#include "wire/attachment.h"

struct unwinding;

/* While all threads are stopped. NULL if there is no memory for it. */
struct unwinding *unwinding_create(int memory, const struct target_maps *maps);
void unwinding_destroy(struct unwinding *unwinding);

/*
 * A cursor for libunwind's own functions, which guess where there is no call frame
 * information. 0 or -errno.
 */
int unwinding_begin(struct unwinding *unwinding, const struct tracee *thread,
		    unw_cursor_t *cursor);

/*
 * The frames of a thread that have a return address, the innermost first: how many; or
 * -errno if they are not all to be found, or more than there is room for.
 */
long unwinding_frames(struct unwinding *unwinding, const struct tracee *thread,
		      struct wire_frame *frames, size_t room);

#endif
