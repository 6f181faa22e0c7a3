/* SPDX-License-Identifier: MIT */
/*
 * User's probes that come while the program runs: their places are looked for in all
 * modules that are loaded, and their code is written, but nothing leads there yet
 * (probe_switch.h).
 *
 * Whoever has the turn (hooking_turn.h).
 */
#ifndef CLEW_LIVE_PROBE_ADDITIONS_H
#define CLEW_LIVE_PROBE_ADDITIONS_H

#include "image/arena.h"
#include "preload/hooking/cold.h"
#include "preload/patch/patch_prepare.h"
#include "preload/probe/probe_places.h"

struct probe_additions {
	struct cold *cold;
	struct arena scratch; /* to be freed, when all is done */
	struct patch_workshop workshop;
	uint32_t wanted; /* a bit for each that is looked for */
	struct additions_module {
		struct additions_module *next;
		struct module *module;
		struct probe_places places;
	} * modules;
};

/*
 * Those of the configuration that are wanted, all together: to read a module's code may
 * take a second. 0 or -ENOMEM.
 */
int probe_additions_prepare(struct probe_additions *adding);

/*
 * The reason of the first place that there is none at; NO_NAME or NO_MODULE: there is no
 * place.
 */
enum probe_reason probe_additions_reason(const struct probe_additions *adding,
					 uint32_t number);

/* Tell the recording of a probe's places. */
void probe_additions_record(const struct probe_additions *adding,
			    uint32_t number);

#endif
