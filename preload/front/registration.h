/* SPDX-License-Identifier: MIT */
/* What a registration tells (registered.h). */
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
