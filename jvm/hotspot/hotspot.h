/* SPDX-License-Identifier: MIT */
/*
 * What HotSpot tells debuggers of itself: tables of its types' fields, which it
 * exports (vmStructs.hpp in its sources). Other machines have none.
 */
#ifndef CLEW_JVM_HOTSPOT_HOTSPOT_H
#define CLEW_JVM_HOTSPOT_HOTSPOT_H

#include <stdint.h>

/*
 * The value of a static field of 8 bytes; 0: there is none. machine_pc: of any
 * function of the machine's.
 */
uint64_t hotspot_static(uint64_t machine_pc, const char *type,
			const char *field);

/* The address of a static field; NULL: there is none. */
const void *hotspot_static_at(uint64_t machine_pc, const char *type,
			      const char *field);

/* Where in a type a field is, in bytes; -1: there is none. */
int64_t hotspot_offset(uint64_t machine_pc, const char *type,
		       const char *field);

/* Where the value of an option is (-XX:NAME); NULL: there is none of that name. */
const void *hotspot_option(uint64_t machine_pc, const char *name);

/* Bytes of a type; 0: there is none. */
uint64_t hotspot_size(uint64_t machine_pc, const char *type);

#endif
