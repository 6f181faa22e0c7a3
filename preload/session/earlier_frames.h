/* SPDX-License-Identifier: MIT */
/*
 * Functions that were active before clew attached. Each of them that is hooked
 * now is given the state that its stub would have created:
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
 * Stores the shadow for the frames of a stopped thread, which must have a
 * thread control block. Returns 0 if that is impossible: the frames are
 * unknown, or the unwinder of exceptions is active and has already read return
 * addresses.
 */
int earlier_frames_enter(const struct wire_stopped *thread,
			 struct wire_frame *frames);

#endif
