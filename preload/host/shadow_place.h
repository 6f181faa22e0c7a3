/* SPDX-License-Identifier: MIT */
/*
 * Reserves address space for data of active calls that stubs store outside the
 * stack: return addresses, in the shadow (hot/shadow.h), and the start times of
 * timed calls (hot/timing.h). Some addresses are needed by programs
 * (hot/places.h).
 */
#ifndef CLEW_HOST_SHADOW_PLACE_H
#define CLEW_HOST_SHADOW_PLACE_H

/*
 * Reserves the shadow of ordinary stacks; if that is impossible or forbidden,
 * all stacks have their shadow in pieces. Returns 0 or -errno. Called once,
 * before hooking. Calls libc.
 */
int shadow_reserve(void);

#endif
