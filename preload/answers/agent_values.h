/* SPDX-License-Identifier: MIT */
/*
 * Functions of agent/clew.h for values, with fewer checks, for use by clew
 * itself.
 */
#ifndef CLEW_ANSWERS_AGENT_VALUES_H
#define CLEW_ANSWERS_AGENT_VALUES_H

#include <stdint.h>

struct clew_values;

/*
 * Forgets the rows of a former session, whose part will be unmapped. Agents'
 * tables stay valid, and their rows become invalid. No session is active.
 */
void agent_values_begin_again(void);

/*
 * Returns the array of a row's numbers, one for each column, or NULL if the row
 * is not valid. The array exists as long as rt.header.
 */
_Atomic int64_t *agent_values_numbers(const struct clew_values *values,
				      uint64_t row);

#endif
