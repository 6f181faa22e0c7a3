/* SPDX-License-Identifier: MIT */
/* Gives the agent to a JVM that ran before clew attached to its process. */
#ifndef CLEW_JVM_LATE_H
#define CLEW_JVM_LATE_H

#include "preload/modules/modules.h"

/*
 * Stores that this module is a JVM's library. Called with the loader's lock
 * held.
 */
void late_meet(const struct module *machine);

/* See generated/managed.h. */
int late_is_there(void);
void late_begin(void);
int late_end(void);

#endif
