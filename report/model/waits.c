/* SPDX-License-Identifier: MIT */
/* See waits.h. */
#include "report/model/waits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/*
 * Returns the kernel's name of a system call, from the headers of the build
 * machine.
 */
static const char *call_name(uint32_t number)
{
	static const char *const names[] = {
#include <report/system_calls.inc>
	};

	return number < sizeof(names) / sizeof(*names) ? names[number] : NULL;
}

/* Returns the name of a wait that is not a system call, or NULL. */
static const char *other_name(uint32_t wait)
{
	switch (wait) {
	case WIRE_WAIT_UNKNOWN:
		return "unknown";
	case WIRE_WAIT_UNSAMPLED:
		return "unsampled";
	case WIRE_WAIT_STOPPED:
		return "stopped";
	case WIRE_WAIT_PROCESSOR:
		return "runnable";
	case WIRE_WAIT_FAULT:
		return "page fault";
	default:
		return NULL;
	}
}

char *wait_text(uint32_t wait)
{
	const char *name = other_name(wait);

	if (!name)
		name = call_name(wait - WIRE_WAIT_CALL);
	if (!name)
		return memory_printf("system call %" PRIu32,
				     wait - WIRE_WAIT_CALL);
	return memory_string(name, strlen(name));
}

uint32_t wait_function(struct catalog *catalog, uint32_t wait)
{
	char *text, *name;
	uint32_t function;

	if (wait == WIRE_WAIT_UNKNOWN)
		return FUNCTION_BLOCKED;
	text = wait_text(wait);
	name = memory_printf("(%s)", text);
	function =
		catalog_named(catalog, KIND_BLOCKED, CATALOG_NO_MODULE, name);
	free(name);
	free(text);
	return function;
}
