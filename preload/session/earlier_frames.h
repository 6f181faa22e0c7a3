/* SPDX-License-Identifier: MIT */
/*
 * Functions that were active before clew attached. Each hooked function becomes
 * an active call, as though its stub had called it:
 *
 *	stack		shadow of that slot		id of the thread
 *	stub's exit	return address, caller's id	of the innermost
 *
 * This module stores the shadow. The controller writes the stack and the id
 * later (wire/attachment.h), so that all threads can continue if the controller
 * is killed meanwhile. Calls that become active this way are not counted. A
 * context of such a call is recorded, without calls, once it is found to be
 * missing (hot_record_callers()).
 */
#ifndef CLEW_SESSION_EARLIER_FRAMES_H
#define CLEW_SESSION_EARLIER_FRAMES_H

#include "wire/attachment.h"

/*
 * The thread is stopped and has a thread control block. Returns 0 if its frames
 * cannot be converted: they are unknown, or the unwinder is one of them and has
 * read some others.
 */
int earlier_frames_enter(const struct wire_stopped *thread,
			 struct wire_frame *frames);

#endif
