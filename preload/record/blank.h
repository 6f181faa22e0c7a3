/* SPDX-License-Identifier: MIT */
/*
 * The blank table, which the stubs of a thread read while it is off
 * (hot/switch.h): hot_blank_table().
 *
 * A stub loads the mask and then the address of its thread's table
 * (hot/stub_template.inc). A signal handler that interrupts it in between may
 * exchange the table, but never for a smaller one, because the stub continues
 * with the mask that it has loaded. Therefore a thread that is switched off
 * keeps its mask, and one store replaces its table by a blank one that is as
 * large as the largest table of the process. No id is found there, so each call
 * takes the slow path. The table is never written, so it costs address space
 * and no memory.
 */
#ifndef CLEW_RECORD_BLANK_H
#define CLEW_RECORD_BLANK_H

#include "wire/recording.h"

/*
 * Creates a blank table of 2^log2 entries, unless there is one of this size or
 * a larger one. Must be called before a thread uses a count table of that size.
 * Returns 0 or -ENOMEM. Any thread may call this function, with signals
 * blocked.
 */
int blank_reserve(unsigned int log2);

#endif
