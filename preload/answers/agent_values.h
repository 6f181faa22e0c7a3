/* SPDX-License-Identifier: MIT */
/* What clew itself counts as agents do (agent/clew.h), without asking each time. */
#ifndef CLEW_ANSWERS_AGENT_VALUES_H
#define CLEW_ANSWERS_AGENT_VALUES_H

#include <stdint.h>

struct clew_values;

/*
 * The numbers of a row, one for each column, or NULL if it is not there. They stay
 * where they are as long as rt.header does.
 */
_Atomic int64_t *agent_values_numbers(const struct clew_values *values,
				      uint64_t row);

#endif
