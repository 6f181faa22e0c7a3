/* SPDX-License-Identifier: MIT */
/*
 * Guarding the stubs of a module that has turned out to make code at run time:
 * they count calls that come from modules' text, and leave those from generated
 * code alone, which may look up its own return addresses
 * (front/generators.h).
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
