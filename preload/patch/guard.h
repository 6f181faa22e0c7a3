/* SPDX-License-Identifier: MIT */
/*
 * Guards the stubs of a module that was found to generate code at run time.
 * Guarded stubs count calls from modules' text and skip calls from generated
 * code, which may look up its own return addresses (front/generators.h).
 */
#ifndef CLEW_PATCH_GUARD_H
#define CLEW_PATCH_GUARD_H

#include "preload/patch/patch.h"

/*
 * Makes the stubs of a patch count only calls from the text of modules; threads
 * may execute the stubs meanwhile. Call it under the lock of patches. Returns
 * 0, or -errno: then only some stubs may be guarded.
 */
int guard_patch(struct patch *patch);

#endif
