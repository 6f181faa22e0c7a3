/* SPDX-License-Identifier: MIT */
/*
 * Marks that clew itself records. agent/clew.h declares the functions by which
 * programs record theirs.
 */
#ifndef CLEW_ANSWERS_AGENT_MARKS_H
#define CLEW_ANSWERS_AGENT_MARKS_H

#include <stdint.h>

/*
 * Records a region of the calling thread that ends now and began `ticks` of the
 * time stamp counter ago. Safe in signal handlers.
 */
void agent_mark_past(const char *name, uint64_t number, uint64_t ticks);

#endif
