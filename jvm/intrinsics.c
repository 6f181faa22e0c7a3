/* SPDX-License-Identifier: MIT */
#include "jvm/intrinsics.h"

#include "jvm/hotspot.h"

/*
 * Machines in which a method's identifier (jmethodID) is the address of a pointer to
 * the machine's Method, which has the number of its intrinsic in two bytes, 0 being none.
 */
#define OLDEST 11
#define NEWEST 25

static int64_t number_at =
	-1; /* in a Method, bytes; written once, at the start */

void intrinsics_learn(uint64_t machine_pc)
{
	const int32_t *version = hotspot_static_at(
		machine_pc, "Abstract_VM_Version", "_vm_major_version");

	number_at =
		version && *version >= OLDEST && *version <= NEWEST
			? hotspot_offset(machine_pc, "Method", "_intrinsic_id")
			: -1;
}

int intrinsics_have(const void *method)
{
	const char *const *id = method;

	return number_at >= 0 &&
	       *(const uint16_t *)(*id + (uint64_t)number_at) != 0;
}
