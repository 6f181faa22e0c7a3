/* SPDX-License-Identifier: MIT */
/*
 * Checks a part chunk by chunk, for tests and for the stress build (stress.h).
 */
#ifndef CLEW_RECORD_PART_CHECK_H
#define CLEW_RECORD_PART_CHECK_H

#include "preload/record/part.h"
#include "wire/violation.h"

/*
 * Returns the first violation, or VIOLATION_IS_NONE. Chunks must be contiguous
 * up to the end, of known kinds, and with no more content than fits. Freed
 * chunks must read as zeros. Each range of modules' numbers must belong to a
 * recorded module. Any thread may call this function while no thread is
 * recording a module.
 */
enum violation part_check(struct part *part);

static inline int part_is_valid(struct part *part)
{
	return part_check(part) == VIOLATION_IS_NONE;
}

#endif
