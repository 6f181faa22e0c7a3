/* SPDX-License-Identifier: MIT */
/*
 * All that is written over the code of modules that are loaded: a list of patches,
 * each of which has the hooks of a module (patch.h). rt.patches points to it.
 */
#ifndef CLEW_PATCH_PATCHES_H
#define CLEW_PATCH_PATCHES_H

#include <stdint.h>

#include "preload/patch/patch.h"
#include "preload/sys/lock.h"

struct patches {
	/* To change the list, and to change code; held while forking. */
	struct lock lock;
	/*
	 * To read without the lock, in signal handlers: a list that grows in
	 * front and whose elements stay readable.
	 */
	struct patch *first;
	uint32_t is_out; /* taken out by clew_unhook(); under the lock */
	uint32_t
		has_overwritten; /* some site was, at any time; under the lock */
	/* The loader is unmapping modules: their code may be gone. */
	_Atomic uint32_t is_unloading;
};

#endif
