/* SPDX-License-Identifier: MIT */
/* How many functions are hooked, and what became of the others. */
#ifndef CLEW_VIEW_COVERAGE_H
#define CLEW_VIEW_COVERAGE_H

#include <stdint.h>

#include "report/model/function_catalog.h"
#include "wire/verdict.h"

struct coverage {
	uint64_t hooked;
	uint64_t refused;     /* meant to be hooked, and could not be */
	uint64_t left_alone;  /* by a rule, or because of what they do */
	uint64_t not_entries; /* code that is no function */
	uint64_t looping;     /* of the hooked: catalog_loops() */
	uint64_t bare_bytes;  /* of code, VERDICT_IS_BARE */
	uint64_t by_verdict[VERDICT_COUNT];
};

/* What "of all functions" means wherever a share of them is shown. */
static inline uint64_t coverage_eligible(const struct coverage *coverage)
{
	return coverage->hooked + coverage->refused;
}

/* How a verdict counts there. */
enum coverage_class {
	COVERAGE_HOOKED,
	COVERAGE_REFUSED,
	COVERAGE_LEFT_ALONE,
	COVERAGE_NOT_ENTRY,
};

enum coverage_class coverage_class(unsigned int verdict);

/* One for each module of the catalog. free() them. */
struct coverage *coverage_of_modules(const struct catalog *catalog);

/* The sum over hooked modules; returns how many they are. */
uint64_t coverage_total(const struct catalog *catalog,
			const struct coverage *modules, struct coverage *total);

/*
 * What share of the eligible is hooked without a breakpoint, which costs so
 * much more, in hundredths of a percent, rounded down. All of none.
 */
unsigned int coverage_without_trap(const struct coverage *coverage);

/* All verdicts, those that were met most often first. */
void coverage_order(const struct coverage *coverage,
		    uint8_t order[VERDICT_COUNT]);

#endif
