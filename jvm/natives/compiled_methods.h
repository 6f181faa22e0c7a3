/* SPDX-License-Identifier: MIT */
/*
 * HotSpot's data about a compiled method (nmethod), read by the offsets in
 * HotSpot's descriptions for debuggers (hotspot.h).
 */
#ifndef CLEW_JVM_NATIVES_COMPILED_METHODS_H
#define CLEW_JVM_NATIVES_COMPILED_METHODS_H

#include <stdint.h>

struct compiled_method {
	uint64_t record; /* address of the nmethod */
	uint64_t code;   /* address of the first instruction */
	/* address of the entry for callers that know the object's class */
	uint64_t verified;
	/* The compilation's number, unique in the process. */
	int32_t compile_id;
	/*
	 * Whether the interpreter enters this code in the middle of the method,
	 * in a loop.
	 */
	uint32_t is_entered_midway;
};

/*
 * Learns where this JVM's nmethods contain the data. Called after
 * java_stack_learn(). Returns 0 if in_place.h supports this JVM: JDK 17 or 25
 * with HotSpot's own compilers. Otherwise returns -1. machine_pc is the address
 * of any function of the JVM.
 */
int compiled_methods_learn(uint64_t machine_pc);

/*
 * Finds the compiled method whose code begins at address `code`. Called only
 * where java_stack_blob() may be used. Returns 0, or -1 if there is none.
 */
int compiled_methods_find(uint64_t code, struct compiled_method *out);

/*
 * Returns whether the compiled method still exists. Called only where
 * java_stack_blob() may be used, for example while all Java threads are
 * stopped.
 */
int compiled_methods_is_there(const struct compiled_method *method);

#endif
