/* SPDX-License-Identifier: MIT */
/* See registered.h. */
#include "preload/generated/registered.h"

#include "preload/generated/records.h"
#include "preload/generated/registration.h"
#include "preload/host/lookup.h"

#define REGISTER   "__jit_debug_register_code"
#define DESCRIPTOR "__jit_debug_descriptor"

static uint32_t registry_count; /* protected by the loader's lock */

static void *const ours_in[REGISTRIES_MAX] = {
	(void *)registered_enter_0,
	(void *)registered_enter_1,
	(void *)registered_enter_2,
	(void *)registered_enter_3,
};

/*
 * Returns the slot that the same function had before its module was unloaded,
 * or a new one.
 */
static uint32_t find_slot(uint64_t pc)
{
	uint32_t slot = 0;

	while (slot < registry_count && registries[slot].divert.pc != pc)
		slot++;
	return slot;
}

static void meet_module(struct module *module, struct windows *windows,
			struct wire_function *functions, uint32_t count)
{
	const struct link_map *map = lookup_map(module->base);
	const uint64_t pc = (uintptr_t)lookup_in_map(map, REGISTER);
	const uint64_t descriptor = (uintptr_t)lookup_in_map(map, DESCRIPTOR);
	uint32_t slot;

	if (!pc || !descriptor)
		return;
	slot = find_slot(pc);
	if (slot == REGISTRIES_MAX) {
		records_unread(WIRE_UNREAD_ALL);
		return;
	}
	registries[slot].descriptor = descriptor;
	if (divert(&registries[slot].divert, module, windows, pc,
		   ours_in[slot])) {
		records_unread(WIRE_UNREAD_ALL);
		return;
	}
	if (slot == registry_count)
		registry_count++;
	divert_refuse_hook(&registries[slot].divert, module, functions, count);
}

const struct managed_runtime registered_runtimes = { .meet_module =
							     meet_module };
