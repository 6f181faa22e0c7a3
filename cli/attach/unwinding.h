/* SPDX-License-Identifier: MIT */
/*
 * Finds the active functions of the threads of a stopped process, by libunwind.
 *
 * Registers are those at the stop. Memory is read and cached page by page,
 * because the process waits meanwhile. unwinding_frames() uses only call frame
 * information in the memory of modules, because clew changes the return
 * addresses that are found, and guesses by libunwind may be wrong.
 */
#ifndef CLEW_CLI_ATTACH_UNWINDING_H
#define CLEW_CLI_ATTACH_UNWINDING_H

#include <libunwind.h>

#include "cli/attach/tracer.h"
#include "cli/target/target.h"
#include "wire/attachment.h"

struct unwinding;

/*
 * Creates the state for unwinding threads of a process. It caches memory, so
 * threads that are unwound with it must stay stopped as long as it is used.
 * `memory` is the open /proc/PID/mem. Returns NULL if memory is short.
 */
struct unwinding *unwinding_create(int memory, const struct target_maps *maps);
void unwinding_destroy(struct unwinding *unwinding);

/*
 * Initializes a cursor for a thread, for calls of libunwind's own functions,
 * which guess where there is no call frame information. Returns 0 or -errno.
 */
int unwinding_begin(struct unwinding *unwinding, const struct tracee *thread,
		    unw_cursor_t *cursor);

/*
 * Finds the frames of a thread that have a return address, innermost first.
 * Returns their number; or -errno if the stack cannot be unwound to its end,
 * there are more than `room` frames, or a limit on the work is reached.
 */
long unwinding_frames(struct unwinding *unwinding, const struct tracee *thread,
		      struct wire_frame *frames, size_t room);

#endif
