/* SPDX-License-Identifier: MIT */
/*
 * The library's data about its process: configuration, modules, patches of
 * their code, memory for stubs. Data that stubs and slow paths use at each call
 * is elsewhere (hot/runtime.h).
 *
 * begin_part() (preload/session/begin.h) creates it before anything is hooked.
 * Folders of preload/ reach members by pointers in rt (hot/runtime.h). The
 * header of each member says which threads may access it afterwards.
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
	struct config config; /* rt.config points here */
	/* memory that is freed together with the session's data */
	struct arena kept;
	struct recorder recorder;
	struct patches patches;
	struct windows windows;
	struct pads pads;
	struct modules modules;
	uint32_t has_begun;  /* the first pass over the modules has begun */
	uint32_t is_entered; /* clew_attach_enter() has succeeded */
	/* Size of retired stubs at which they are freed (reclaim.c). */
	uint64_t reclaim_at_bytes;
};

#endif
