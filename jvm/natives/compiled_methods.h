/* SPDX-License-Identifier: MIT */
/* HotSpot's data about a compiled method (nmethod), found by vmStructs. */
#ifndef CLEW_JVM_NATIVES_COMPILED_METHODS_H
#define CLEW_JVM_NATIVES_COMPILED_METHODS_H

#include <stdint.h>

struct compiled_method {
	uint64_t record;    /* nmethod * */
	uint64_t code;      /* address of the first instruction */
	uint64_t verified;  /* entry for callers that know the object's class */
	int32_t compile_id; /* unique in the process */
	uint32_t is_entered_midway; /* the interpreter enters it in a loop */
};

/*
 * Learns the layout, after java_stack_learn(). Returns 0 if in_place.h supports
 * this JVM: JDK 17 or 25 with HotSpot's own compilers. Otherwise returns -1.
 * machine_pc is the address of any function of the JVM.
 */
int compiled_methods_learn(uint64_t machine_pc);

/*
 * Finds the method whose code begins at that address, when java_stack_blob()
 * may be used. Returns 0, or -1 if there is none.
 */
int compiled_methods_find(uint64_t code, struct compiled_method *out);

/*
 * True if the method still exists; all Java threads are stopped, or
 * java_stack_blob() may be used for another reason.
 */
int compiled_methods_is_there(const struct compiled_method *method);

#endif
