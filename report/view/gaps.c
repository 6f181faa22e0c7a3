/* SPDX-License-Identifier: MIT */
/* See gaps.h. */
#include "report/view/gaps.h"

#include <stdlib.h>

#include "base/memory.h"

/*
 * Returns whether a module of the program could not be hooked. Modules that
 * options exclude do not count.
 */
static int is_missing(const struct catalog_module *module)
{
	switch (module->state) {
	case MODULE_IS_UNREADABLE:
	case MODULE_IS_CHANGED:
	case MODULE_IS_MALFORMED:
	case MODULE_IS_NO_ROOM:
	case MODULE_IS_NO_NUMBERS:
	case MODULE_IS_GO:
	case MODULE_IS_OCAML:
	case MODULE_IS_HASKELL:
	case MODULE_IS_LATE_V8:
	case MODULE_IS_AOT:
	case MODULE_IS_SPLIT_STACK:
		return 1;
	default:
		return 0;
	}
}

static int by_bytes(const void *left, const void *right)
{
	const struct coverage_gap *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return a->module < b->module ? -1 : 1;
}

static uint64_t *bytes_of_modules(const struct catalog *catalog)
{
	uint64_t *bytes = memory_zeroed(catalog->module_count, sizeof(*bytes));

	for (size_t i = FUNCTION_FIRST; i < catalog->function_count; i++) {
		const struct catalog_function *function =
			&catalog->functions[i];

		if (catalog_is_recorded(function))
			bytes[function->module] += function->bare_bytes;
	}
	return bytes;
}

void gaps_init(struct gaps *gaps, const struct catalog *catalog)
{
	uint64_t *bytes = bytes_of_modules(catalog);

	*gaps = (struct gaps){
		.items = memory_zeroed(catalog->module_count,
				       sizeof(*gaps->items)),
	};
	for (uint32_t i = 0; i < catalog->module_count; i++) {
		const struct catalog_module *module = &catalog->modules[i];
		const int is_hooked = module->state == MODULE_IS_HOOKED;

		if (is_hooked ? !bytes[i] : !is_missing(module))
			continue;
		gaps->items[gaps->count++] = (struct coverage_gap){
			.module = i,
			.bytes = is_hooked ? bytes[i] : 0,
		};
		gaps->hooked += (size_t)is_hooked;
		gaps->bytes += is_hooked ? bytes[i] : 0;
	}
	qsort(gaps->items, gaps->count, sizeof(*gaps->items), by_bytes);
	free(bytes);
}

void gaps_fini(struct gaps *gaps)
{
	free(gaps->items);
}
