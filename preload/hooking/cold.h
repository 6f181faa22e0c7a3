/* SPDX-License-Identifier: MIT */
/*
 * All that libclew.so keeps of the process it is in, but for what runs in the
 * program's calls: configuration, modules, what is written over their code, memory
 * for stubs.
 *
 * Built by init.c before anything is hooked. What folders of preload/ need has a
 * pointer of its own in rt (hot/runtime.h); each member says in its own header who
 * may touch it afterwards.
 */
#ifndef CLEW_HOOKING_COLD_H
#define CLEW_HOOKING_COLD_H

#include "image/arena.h"
#include "preload/host/config.h"
#include "preload/lookup/patches.h"
#include "preload/modules/modules.h"
#include "preload/record/recorder.h"
#include "preload/stubs/pads.h"
#include "preload/stubs/window.h"

struct cold {
	struct config config; /* rt.config */
	struct arena kept;    /* what lives as long as the process */
	struct recorder recorder;
	struct patches patches;
	struct windows windows;
	struct pads pads;
	struct modules modules;
	uint32_t has_begun;        /* to hook */
	uint32_t is_entered;       /* clew_attach_enter() has succeeded */
	uint64_t reclaim_at_bytes; /* of retired stubs (reclaim.c) */
};

#endif
