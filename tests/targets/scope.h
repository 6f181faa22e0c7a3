/* SPDX-License-Identifier: MIT */
/*
 * truth.h for C++: a counted function also leaves when an exception passes
 * through it.
 */
#ifndef CLEW_TESTS_TARGETS_SCOPE_H
#define CLEW_TESTS_TARGETS_SCOPE_H

#include "tests/targets/truth.h"

namespace
{

struct scope {
	uint32_t here;

	__attribute__((always_inline))
	scope(const char *function, const char *name)
	    : here(TRUTH_HERE)
	{
		truth_enter(function, name);
	}
	__attribute__((always_inline)) ~scope()
	{
		TRUTH_HERE = here;
	}
};

} // namespace

/* The first statement of each counted function f. */
#define SCOPE(f) scope scope_of_f((const char *)(uintptr_t)(f), #f)

#endif
