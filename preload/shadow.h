/* SPDX-License-Identifier: MIT */
/*
 * Reserving the shadow (hot/shadow.h).
 */
#ifndef CLEW_PRELOAD_SHADOW_H
#define CLEW_PRELOAD_SHADOW_H

/* Map the shadow of ordinary stacks. 0 or -errno. Once, before hooking. */
int shadow_reserve(void);

#endif
