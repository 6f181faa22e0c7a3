/* SPDX-License-Identifier: MIT */
/* See coverage.h. */
#include "report/view/coverage.h"

#include <stdlib.h>

#include "base/memory.h"

/*
 * Returns whether the function was not hooked because of an option or its
 * behaviour.
 */
static int is_by_design(unsigned int verdict)
{
	return verdict == VERDICT_IS_NAMED ||
	       verdict == VERDICT_IS_DESELECTED ||
	       verdict == VERDICT_IS_READS_RETURN_ADDRESS ||
	       verdict == VERDICT_IS_LENDS_RETURN_ADDRESS ||
	       verdict == VERDICT_IS_CALLS_MCOUNT ||
	       verdict == VERDICT_IS_TAKES_FLAGS ||
	       verdict == VERDICT_IS_UNWINDER || verdict == VERDICT_IS_LANDS ||
	       verdict == VERDICT_IS_RAISES;
}

enum coverage_class coverage_class(unsigned int verdict)
{
	switch (verdict_class(verdict)) {
	case VERDICT_HOOKED:
		return COVERAGE_HOOKED;
	case VERDICT_NOT_ENTRY:
		return COVERAGE_NOT_ENTRY;
	case VERDICT_REFUSED:
		break;
	}
	return is_by_design(verdict) ? COVERAGE_LEFT_ALONE : COVERAGE_REFUSED;
}

static void count_function(struct coverage *coverage,
			   const struct catalog_function *function)
{
	unsigned int verdict = function->verdict;
	enum coverage_class class;

	if (verdict >= VERDICT_COUNT)
		verdict = VERDICT_IS_UNKNOWN;
	class = coverage_class(verdict);
	coverage->by_verdict[verdict]++;
	coverage->hooked += class == COVERAGE_HOOKED;
	coverage->refused += class == COVERAGE_REFUSED;
	coverage->left_alone += class == COVERAGE_LEFT_ALONE;
	coverage->not_entries += class == COVERAGE_NOT_ENTRY;
	coverage->looping += (uint64_t)catalog_loops(function);
	coverage->bare_bytes += function->bare_bytes;
}

struct coverage *coverage_of_modules(const struct catalog *catalog)
{
	struct coverage *modules =
		memory_zeroed(catalog->module_count, sizeof(*modules));

	for (size_t i = FUNCTION_FIRST; i < catalog->function_count; i++) {
		if (catalog_is_recorded(&catalog->functions[i]))
			count_function(&modules[catalog->functions[i].module],
				       &catalog->functions[i]);
	}
	return modules;
}

static void add(struct coverage *total, const struct coverage *module)
{
	total->hooked += module->hooked;
	total->refused += module->refused;
	total->left_alone += module->left_alone;
	total->not_entries += module->not_entries;
	total->looping += module->looping;
	total->bare_bytes += module->bare_bytes;
	for (unsigned int i = 0; i < VERDICT_COUNT; i++)
		total->by_verdict[i] += module->by_verdict[i];
}

uint64_t coverage_total(const struct catalog *catalog,
			const struct coverage *modules, struct coverage *total)
{
	uint64_t hooked = 0;

	*total = (struct coverage){ 0 };
	for (size_t i = 0; i < catalog->module_count; i++) {
		if (catalog->modules[i].state != MODULE_IS_HOOKED)
			continue;
		hooked++;
		add(total, &modules[i]);
	}
	return hooked;
}

unsigned int coverage_without_trap(const struct coverage *coverage)
{
	uint64_t jumps =
		coverage->hooked - coverage->by_verdict[VERDICT_IS_TRAP];

	if (coverage_eligible(coverage) == 0)
		return 10000;
	return (unsigned int)(jumps * 10000 / coverage_eligible(coverage));
}

static int by_number(const void *left, const void *right, void *context)
{
	const struct coverage *coverage = context;
	uint8_t a = *(const uint8_t *)left, b = *(const uint8_t *)right;

	if (coverage->by_verdict[a] != coverage->by_verdict[b])
		return coverage->by_verdict[a] > coverage->by_verdict[b] ? -1
									 : 1;
	return a - b;
}

void coverage_order(const struct coverage *coverage,
		    uint8_t order[VERDICT_COUNT])
{
	/* qsort_r() takes no pointer to const */
	struct coverage copy = *coverage;

	for (unsigned int i = 0; i < VERDICT_COUNT; i++)
		order[i] = (uint8_t)i;
	qsort_r(order, VERDICT_COUNT, sizeof(*order), by_number, &copy);
}
