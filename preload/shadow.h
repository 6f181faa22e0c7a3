/* SPDX-License-Identifier: MIT */
/*
 * Reserving the shadow (hot/shadow.h).
 */
#ifndef CLEW_PRELOAD_SHADOW_H
#define CLEW_PRELOAD_SHADOW_H

/* Map the shadow of ordinary stacks. 0 or -errno. Once, before hooking. */
int shadow_reserve(void);

/*
 * Where that failed: have shadow in pieces, for all stacks. All stubs must
 * take the slow way then (thread_template.h). Before hooking.
 */
void shadow_go_without(void);

#endif
