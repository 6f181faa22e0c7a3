/* SPDX-License-Identifier: MIT */
/*
 * Records the symbols of generated code that a program registers through GDB's
 * JIT interface (registered.h).
 */
#ifndef CLEW_GENERATED_REGISTRATION_H
#define CLEW_GENERATED_REGISTRATION_H

#include "preload/patch/divert.h"

/* Modules with this function, loaded at once or in turn. */
#define REGISTRIES_MAX 4

/* A module's function, which is diverted. */
struct registry {
	struct divert divert;
	uint64_t descriptor;
};

extern struct registry registries[REGISTRIES_MAX];

/* The program has called this registry's function. Uses no vector registers. */
void registration_stand_in(uint32_t index);

#endif
