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
 * Writes the shadow slots of a stopped thread's frames, and into `frames` (the
 * array of the whole attachment) the words that the controller has to write.
 * The thread must have a thread control block. Returns 1, or 0 if the stack
 * must stay as it is: the thread's frames are unknown, or a function of the
 * unwinder is among them. The unwinder has already read return addresses, and
 * would not find them on the stack again.
 */
int earlier_frames_enter(const struct wire_stopped *thread,
			 struct wire_frame *frames);

#endif
