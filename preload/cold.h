/* SPDX-License-Identifier: MIT */
/*
 * What the cold side of the target keeps, behind rt.cold.
 *
 * Built by init.c before anything is hooked. Each member says in its own
 * header who may touch it afterwards.
 */
#ifndef CLEW_PRELOAD_COLD_H
#define CLEW_PRELOAD_COLD_H

#include "image/arena.h"
#include "preload/config.h"
#include "preload/lock.h"
#include "preload/modules.h"
#include "preload/pads.h"
#include "preload/part.h"
#include "preload/patch.h"
#include "preload/tallies.h"
#include "preload/window.h"

struct cold {
	struct config config;
	struct arena kept; /* what lives as long as the process */
	struct part part;
	struct tallies tallies;
	uint32_t has_begun; /* to hook */
	struct windows windows;
	struct pads pads;
	struct modules modules;
	/*
	 * Patches that are committed. Under the lock to change, and to change
	 * code; to read without, in signal handlers, as a list that grows in
	 * front and whose elements stay readable.
	 */
	struct lock patches_lock;
	struct patch *patches;
	uint64_t reclaim_at_bytes; /* of retired stubs (reclaim.c) */
	uint32_t is_out; /* taken out by clew_unhook(); under the lock */
	/* The loader is unmapping modules: their code may be gone. */
	_Atomic uint32_t is_unloading;
};

#endif
