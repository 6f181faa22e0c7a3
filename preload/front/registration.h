/* SPDX-License-Identifier: MIT */
/*
 * What clew does where a program registers generated code by GDB's JIT interface
 * (registered.h): the symbols of the file that comes with it are recorded.
 */
#ifndef CLEW_FRONT_REGISTRATION_H
#define CLEW_FRONT_REGISTRATION_H

#include "preload/patch/divert.h"

#define REGISTRIES_MAX 4 /* modules that have one, in turn or at once */

/* A module's: where clew stands in for its function. */
struct registry {
	struct divert divert;
	uint64_t descriptor;
};

extern struct registry registries[REGISTRIES_MAX];

/*
 * The program has called the function of that one of the registries. Does not use
 * vector registers.
 */
void registration_stand_in(uint32_t index);

#endif
