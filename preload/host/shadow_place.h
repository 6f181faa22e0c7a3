/* SPDX-License-Identifier: MIT */
/*
 * Where the shadow is (hot/shadow.h), and where times are (hot/timing.h).
 */
#ifndef CLEW_HOST_SHADOW_PLACE_H
#define CLEW_HOST_SHADOW_PLACE_H

/*
 * Reserve the shadow of ordinary stacks; where that cannot be, or may not be, all
 * have their shadow in pieces. 0 or -errno. Once, before hooking. Calls libc.
 */
int shadow_reserve(void);

#endif
