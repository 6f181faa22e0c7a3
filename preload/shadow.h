/* SPDX-License-Identifier: MIT */
/*
 * Reserving the shadow (hot/shadow.h).
 */
#ifndef CLEW_PRELOAD_SHADOW_H
#define CLEW_PRELOAD_SHADOW_H

/*
 * Reserve the shadow of ordinary stacks; where that cannot be, or may not be, all
 * have their shadow in pieces. 0 or -errno. Once, before hooking. Calls libc.
 */
int shadow_reserve(void);

#endif
