/* SPDX-License-Identifier: MIT */
/*
 * HotSpot's descriptions of itself for debuggers: exported tables of its types'
 * fields (vmStructs.hpp in its sources). JVMs other than HotSpot have none.
 */
#ifndef CLEW_JVM_HOTSPOT_HOTSPOT_H
#define CLEW_JVM_HOTSPOT_HOTSPOT_H

#include <stdint.h>

/*
 * Returns the value of a static field of 8 bytes, or 0 if there is no such
 * field. machine_pc is the address of any function of the JVM.
 */
uint64_t hotspot_static(uint64_t machine_pc, const char *type,
			const char *field);

/* Returns the address of a static field, or NULL. */
const void *hotspot_static_at(uint64_t machine_pc, const char *type,
			      const char *field);

/* Returns the offset of a field in its type in bytes, or -1. */
int64_t hotspot_offset(uint64_t machine_pc, const char *type,
		       const char *field);

/*
 * Returns the version of Java, such as 17, or 0 if it is unknown. HotSpot's own
 * number is another one in JDK 8: 25.
 */
int hotspot_version(uint64_t machine_pc);

/* Returns the offset of the text in HotSpot's Symbol, or -1. */
int64_t hotspot_symbol_text(uint64_t machine_pc);

/*
 * Returns the address of an option's value (-XX:NAME), or NULL if there is no
 * such option.
 */
const void *hotspot_option(uint64_t machine_pc, const char *name);

/* Returns the size of a type in bytes, or 0 if there is no such type. */
uint64_t hotspot_size(uint64_t machine_pc, const char *type);

#endif
