/* SPDX-License-Identifier: MIT */
/* Finds the function whose code contains a pc. */
#include <stddef.h>

#include "preload/hot/runtime.h"
#include "preload/hot/upcalls.h"
#include "preload/lookup/patches.h"
#include "preload/modules/catalog.h"

/*
 * Returns the number of the hooked function that contains vaddr, or 0. The
 * record's list also has entries for leaps, which lie inside functions; these
 * are skipped.
 */
static uint32_t find_in(struct wire_module *record, uint64_t vaddr)
{
	const struct wire_function *list = catalog_functions(record);
	uint32_t place =
		wire_functions_until(list, record->function_count, vaddr);

	while (place > 0 && list[place - 1].verdict == VERDICT_IS_LEAP)
		place--;
	if (!place ||
	    vaddr - list[place - 1].vaddr >= list[place - 1].size_bytes ||
	    verdict_class(list[place - 1].verdict) != VERDICT_HOOKED)
		return 0;
	return record->first_function + place - 1;
}

/* A module that has several patches is searched several times. */
uint32_t hot_function_at(uint64_t pc)
{
	const struct patch *patch =
		__atomic_load_n(&rt.patches->first, __ATOMIC_ACQUIRE);

	for (; patch; patch = patch->next) {
		const struct module *module = patch->module;
		struct wire_module *record;
		uint32_t function;

		if (pc < module->code.start || pc >= module->code.end)
			continue;
		record = catalog_loaded(module->numbers);
		function = record ? find_in(record, pc - module->base) : 0;
		if (function)
			return function;
	}
	return 0;
}
