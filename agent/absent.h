/* SPDX-License-Identifier: MIT */
/* For agents that contain absent.c. */
#ifndef CLEW_AGENT_ABSENT_H
#define CLEW_AGENT_ABSENT_H

#include "agent/clew.h"

/*
 * The clew_values_new() of absent.c. The name clew_values_new refers to another
 * function if clew is preloaded.
 */
__typeof__(clew_values_new) absent_values_new
	__attribute__((visibility("hidden")));

#endif
