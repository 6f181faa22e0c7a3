/* SPDX-License-Identifier: MIT */
/*
 * Reserves address space for data of active calls that stubs store outside the
 * stack: return addresses, in the shadow (hot/shadow.h), and the start times of
 * timed calls (hot/timing.h). hot/places.h lists the address ranges, which
 * avoid those that programs need.
 */
#ifndef CLEW_HOST_SHADOW_PLACE_H
#define CLEW_HOST_SHADOW_PLACE_H

/*
 * Reserves the shadow of ordinary stacks. If that is impossible, the shadow of
 * all stacks is mapped in pieces when it is needed. Returns 0 or -errno. Called
 * once, before hooking. Calls libc.
 */
int shadow_reserve(void);

#endif
