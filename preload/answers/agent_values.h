/* SPDX-License-Identifier: MIT */
/*
 * Values that clew itself counts as agents do (agent/clew.h), with fewer
 * checks.
 */
#ifndef CLEW_ANSWERS_AGENT_VALUES_H
#define CLEW_ANSWERS_AGENT_VALUES_H

#include <stdint.h>

struct clew_values;

/*
 * Returns the numbers of a row, one for each column, or NULL if it is not
 * valid. The address is valid as long as rt.header.
 */
_Atomic int64_t *agent_values_numbers(const struct clew_values *values,
				      uint64_t row);

#endif
