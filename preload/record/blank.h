/* SPDX-License-Identifier: MIT */
/*
 * The blank table: where the stubs of a thread look that is off (hot/switch.h),
 * hot_blank_table().
 *
 * A stub loads the mask and then the address of its thread's table
 * (hot/stub_template.inc). A signal handler that comes in between may
 * exchange the table, but never for a smaller one, because the stub goes on
 * with the mask that it has. So a thread that is switched off keeps its mask,
 * and one store exchanges its table for a blank one that is as large as the
 * largest table of the process. No id is found in it, so that every call takes
 * the slow path, which knows better; nobody writes to it, so that it costs
 * address space and no memory.
 */
#ifndef CLEW_RECORD_BLANK_H
#define CLEW_RECORD_BLANK_H

#include "wire/recording.h"

/*
 * Before a thread uses a table of 2^log2 entries: a blank one of that size. 0 or
 * -ENOMEM. Any thread, with signals blocked.
 */
int blank_reserve(unsigned int log2);

#endif
