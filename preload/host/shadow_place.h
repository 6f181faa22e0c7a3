/* SPDX-License-Identifier: MIT */
/*
 * Reserving address space for what stubs keep of running calls beside the stack:
 * return addresses, in the shadow (hot/shadow.h), and where calls are timed, when
 * they began (hot/timing.h). Programs want some places for themselves
 * (hot/places.h).
 */
#ifndef CLEW_HOST_SHADOW_PLACE_H
#define CLEW_HOST_SHADOW_PLACE_H

/*
 * Reserve the shadow of ordinary stacks; where that cannot be, or may not be, all
 * have their shadow in pieces. 0 or -errno. Once, before hooking. Calls libc.
 */
int shadow_reserve(void);

#endif
