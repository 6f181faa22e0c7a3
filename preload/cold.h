/* SPDX-License-Identifier: MIT */
/*
 * What the cold side of the target keeps, behind rt.cold.
 *
 * Built by init.c before anything is hooked. Each member says in its own
 * header who may touch it afterwards.
 */
#ifndef CLEW_PRELOAD_COLD_H
#define CLEW_PRELOAD_COLD_H

#include "preload/config.h"
#include "preload/part.h"
#include "preload/tallies.h"
#include "preload/window.h"

struct cold {
	struct config config;
	struct part part;
	struct tallies tallies;
	struct windows windows;
};

#endif
