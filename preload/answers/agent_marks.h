/* SPDX-License-Identifier: MIT */
/*
 * Lets clew itself record marks. Programs do so by the functions of
 * agent/clew.h.
 */
#ifndef CLEW_ANSWERS_AGENT_MARKS_H
#define CLEW_ANSWERS_AGENT_MARKS_H

#include <stdint.h>

/*
 * Forgets the marks of a former session, whose part will be unmapped. No
 * session is active.
 */
void agent_marks_begin_again(void);

/*
 * Records a region of the calling thread that ends now and began `ticks` of the
 * time stamp counter ago. Safe in signal handlers.
 */
void agent_mark_past(const char *name, uint64_t number, uint64_t ticks);

#endif
