/* SPDX-License-Identifier: MIT */
/*
 * Front of libunwind's unw_step(), for programs that read their own stack
 * (UNW_LOCAL_ONLY). The front skips frames of stubs and of clew, but not frames
 * inside of displaced instructions, like preload/front/frames_hide.c.
 */
#include <stdint.h>

#include "preload/host/next.h"
#include "preload/lookup/displaced.h"
#include "preload/sys/own_code.h"

#define LIBUNWIND_RIP 16   /* UNW_X86_64_RIP */
#define NO_UNWINDER   (-1) /* -UNW_EUNSPEC */

int _ULx86_64_step(void *cursor);
int _ULx86_64_get_reg(void *cursor, int number, uint64_t *value);

EXPORT int _ULx86_64_step(void *cursor)
{
	int (*get)(void *, int, uint64_t *) = NEXT(_ULx86_64_get_reg);
	uint64_t pc;
	int result;

	if (!get || !NEXT(_ULx86_64_step))
		return NO_UNWINDER;
	do {
		result = NEXT(_ULx86_64_step)(cursor);
	} while (result > 0 && !get(cursor, LIBUNWIND_RIP, &pc) &&
		 own_code_has(pc) && !displaced_pc(pc));
	return result;
}
