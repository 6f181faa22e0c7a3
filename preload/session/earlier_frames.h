/* SPDX-License-Identifier: MIT */
/*
 * Functions that ran before clew came: each that is hooked becomes a call under
 * way, as though its stub had made it.
 *
 *	stack		shadow of that slot		id of the thread
 *	stub's exit	return address, caller's id	of the innermost
 *
 * The shadow is stored here. The stack and the id are to be written from outside
 * (wire/attachment.h), for if the controller is killed meanwhile all threads go on.
 * A call that is under way so is not counted; its context is recorded where it is
 * found missing, as having no calls (hot_record_callers()).
 */
#ifndef CLEW_SESSION_EARLIER_FRAMES_H
#define CLEW_SESSION_EARLIER_FRAMES_H

#include "wire/attachment.h"

/*
 * Of a thread that is stopped, and has its block. False if they are not taken over:
 * they are not known, or an unwinder is among them, which has looked at some.
 */
int earlier_frames_enter(const struct wire_stopped *thread,
			 struct wire_frame *frames);

#endif
