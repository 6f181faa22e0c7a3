/* SPDX-License-Identifier: MIT */
/* What HotSpot knows of a compiled method (nmethod), by its vmStructs. */
#ifndef CLEW_JVM_NATIVES_COMPILED_METHODS_H
#define CLEW_JVM_NATIVES_COMPILED_METHODS_H

#include <stdint.h>

struct compiled_method {
	uint64_t record;    /* nmethod * */
	uint64_t code;      /* its first instruction */
	uint64_t verified;  /* where callers that know its class enter it */
	int32_t compile_id; /* no other has it */
	uint32_t is_entered_midway; /* in a loop, by the interpreter */
};

/*
 * Whether it is a machine that in_place.h knows: JDK 17 or 25, with HotSpot's own compilers.
 * machine_pc: of any function of its. Once java_stack_learn() has been called. 0 or -1.
 */
int compiled_methods_learn(uint64_t machine_pc);

/* That whose code begins there, as java_stack_blob() permits. 0, or -1: there is none. */
int compiled_methods_find(uint64_t code, struct compiled_method *out);

/* Whether it is still there; all threads of Java's are stopped, or so. */
int compiled_methods_is_there(const struct compiled_method *method);

#endif
