/* SPDX-License-Identifier: MIT */
/*
 * Decides whether an agent's data is recorded, and whether data belongs to this
 * process.
 */
#ifndef CLEW_ANSWERS_AGENT_RECORDED_H
#define CLEW_ANSWERS_AGENT_RECORDED_H

#include "preload/hot/runtime.h"
#include "preload/record/recorder.h"

/* Returns false in a forked child that clew has not detected yet. */
static inline int agent_is_in_known_process(void)
{
	return !rt.is_this_process || *rt.is_this_process;
}

static inline int agent_is_recorded(void)
{
	return rt.header && rt.recorder && rt.header->state != WIRE_DISABLED &&
	       !rt.is_unrecorded && agent_is_in_known_process();
}

/*
 * Returns whether data with this header belongs to this process: a forked child
 * has another header.
 */
static inline int agent_is_of_this_process(const struct wire_header *header)
{
	return header == rt.header && agent_is_in_known_process();
}

#endif
