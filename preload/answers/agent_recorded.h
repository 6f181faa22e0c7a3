/* SPDX-License-Identifier: MIT */
/* Whether what an agent tells is recorded, and where that of its parent is not. */
#ifndef CLEW_ANSWERS_AGENT_RECORDED_H
#define CLEW_ANSWERS_AGENT_RECORDED_H

#include "preload/hot/runtime.h"
#include "preload/record/recorder.h"

/* False in a forked child that clew has not noticed yet. */
static inline int agent_is_in_known_process(void)
{
	return !rt.is_this_process || *rt.is_this_process;
}

static inline int agent_is_recorded(void)
{
	return rt.header && rt.recorder && rt.header->state != WIRE_DISABLED &&
	       !rt.is_unrecorded && agent_is_in_known_process();
}

/* What was made with this header is of the process: a forked child has another. */
static inline int agent_is_of_this_process(const struct wire_header *header)
{
	return header == rt.header && agent_is_in_known_process();
}

#endif
