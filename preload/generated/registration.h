/* SPDX-License-Identifier: MIT */
/*
 * Records the symbols of generated code that a program registers through GDB's
 * JIT interface (registered.h).
 */
#ifndef CLEW_GENERATED_REGISTRATION_H
#define CLEW_GENERATED_REGISTRATION_H

#include "preload/patch/divert.h"

/*
 * Maximum number of modules with __jit_debug_register_code(), loaded at the
 * same time or one after the other.
 */
#define REGISTRIES_MAX 4

/* The diverted function of one module. */
struct registry {
	struct divert divert;
	uint64_t descriptor;
};

extern struct registry registries[REGISTRIES_MAX];

/*
 * Called when the program has called the function of the registry with this
 * index. Uses no vector registers.
 */
void registration_stand_in(uint32_t index);

#endif
