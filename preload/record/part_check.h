/* SPDX-License-Identifier: MIT */
/*
 * Whether a part is what it should be, chunk by chunk: for tests and for the
 * stress build (stress.h).
 */
#ifndef CLEW_RECORD_PART_CHECK_H
#define CLEW_RECORD_PART_CHECK_H

#include "preload/record/part.h"
#include "wire/violation.h"

/*
 * The first thing that is wrong, or VIOLATION_IS_NONE: chunks lie one behind
 * the other up to the end, each of a known kind, holding no more than it can;
 * what was given back reads as zeros; and the modules' records account for all
 * ranges of numbers that modules have. Any thread, but none may be in the midst
 * of recording a module.
 */
enum violation part_check(struct part *part);

static inline int part_is_valid(struct part *part)
{
	return part_check(part) == VIOLATION_IS_NONE;
}

#endif
