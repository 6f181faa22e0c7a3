/* SPDX-License-Identifier: MIT */
/*
 * Guarding the stubs of a module that is hooked already (hot/stub.S).
 */
#ifndef CLEW_PATCH_GUARD_H
#define CLEW_PATCH_GUARD_H

#include "preload/patch/patch.h"

/*
 * Have the stubs of a patch count calls from the text of modules only, whoever
 * may be executing them. Under the lock of patches. 0, or -errno: then some may
 * be guarded and others not.
 */
int guard_patch(struct patch *patch);

#endif
