/* SPDX-License-Identifier: MIT */
/*
 * All changes of the code of loaded modules: a list of patches, each with hooks
 * of one module (patch.h). rt.patches points to it.
 */
#ifndef CLEW_LOOKUP_PATCHES_H
#define CLEW_LOOKUP_PATCHES_H

#include <stdint.h>

#include "preload/lookup/patch_find.h"
#include "preload/sys/lock.h"

struct patches {
	/*
	 * Protects changes of the list and of code; held during fork, except in
	 * an attached process.
	 */
	struct lock lock;
	/*
	 * May be read without the lock, in signal handlers: patches are added
	 * in front, and removed ones stay readable.
	 */
	struct patch *first;
	/* clew_unhook() has reverted all patches; protected by `lock` */
	uint32_t is_out;
	/*
	 * The code of some site was found overwritten by something other than
	 * clew; protected by `lock`.
	 */
	uint32_t has_overwritten;
	/*
	 * The loader is unmapping modules, so code of a module in the list may
	 * not be mapped any more.
	 */
	_Atomic uint32_t is_unloading;
};

#endif
