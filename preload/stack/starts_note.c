/* SPDX-License-Identifier: MIT */
/* See starts_note.h. */
#include "preload/stack/starts_note.h"

#include "preload/hot/runtime.h"
#include "preload/stack/starts.h"
#include "preload/stack/verify.h"

int starts_note(uint64_t stack, uint64_t link, uint64_t id)
{
	if (runtime_is_filtered() || !starts_are_due(stack, link))
		return 0;
	if (!rt.verify_period || !starts_clear(stack))
		return 1;
	if (verify_is_right(__builtin_frame_address(0), id))
		starts_put(stack, id);
	return 1;
}
