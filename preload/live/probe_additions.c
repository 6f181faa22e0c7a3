/* SPDX-License-Identifier: MIT */
/* See probe_additions.h. */
#include "preload/live/probe_additions.h"

#include <errno.h>

#include "preload/hooking/module_patches.h"
#include "preload/hot/runtime.h"
#include "preload/live/probe_switch.h"
#include "preload/modules/candidate.h"
#include "preload/modules/catalog.h"
#include "preload/patch/trap.h"
#include "preload/probe/probe_actions.h"
#include "preload/probe/probe_hit.h"
#include "preload/probe/probe_hits.h"
#include "preload/probe/probe_patch.h"
#include "preload/probe/probe_record.h"

/* Returns a bit for each probe that has a patch in the module. */
static uint32_t probes_in(const struct module *module)
{
	uint32_t probes = 0;

	EACH_PATCH(module, p)
		if (p->probe && p->probe != PROBE_FORGOTTEN)
			probes |= UINT32_C(1) << (p->probe - 1);
	return probes;
}

static int has_place(const struct probe_places *places, uint32_t number)
{
	for (uint32_t i = 0; i < places->count; i++)
		if (places->list[i].probe == number && places->list[i].tier)
			return 1;
	return 0;
}

/* Adds a disabled patch. Returns 0 or -ENOMEM. */
static int prepare_patch(struct probe_additions *adding, struct module *module,
			 struct probe_places *places, uint32_t number)
{
	struct cold *cold = adding->cold;
	struct patch *patch = arena_alloc(&cold->kept, sizeof(*patch));
	uint64_t signals;
	int err = patch ? probe_patch_prepare(patch, module, module->patches,
					      &adding->workshop, places, number,
					      probe_hit)
			: -ENOMEM;

	if (err)
		return err;
	probe_actions_place(number, module);
	lock_acquire(&cold->patches.lock, &signals);
	module_patches_add(cold, module, patch);
	lock_release(&cold->patches.lock, &signals);
	return 0;
}

static int prepare_patches(struct probe_additions *adding,
			   struct module *module, struct probe_places *places)
{
	int err = 0;

	for (uint32_t i = 0; i < WIRE_PROBES_MAX && !err; i++)
		if (has_place(places, i))
			err = prepare_patch(adding, module, places, i);
	return err;
}

/* Prepares the probes in one module. Returns 0 or -ENOMEM. */
static int prepare_module(struct probe_additions *adding, struct module *module)
{
	struct cold *cold = adding->cold;
	const int has_traps =
		!rt.is_late && trap_is_possible() && !module->is_libc;
	const uint32_t wanted = adding->wanted & ~probes_in(module);
	struct candidate candidate = { .module = module };
	struct additions_module *added;
	int err;

	if (!wanted ||
	    (catalog_find_module(module->numbers, &candidate.entry) &&
	     module->state == MODULE_IS_HOOKED))
		return 0;
	added = arena_alloc(&adding->scratch, sizeof(*added));
	if (!added)
		return -ENOMEM;
	*added = (struct additions_module){
		.next = adding->modules,
		.module = module,
		.places = { .arena = &adding->scratch,
			    .wanted = wanted,
			    .is_late = 1 },
	};
	adding->workshop.has_traps = has_traps;
	err = probe_places_find(&added->places, &cold->config, &candidate,
				module == cold->modules.first, has_traps);
	if (err)
		return err;
	adding->modules = added;
	return module->state == MODULE_IS_HOOKED
		       ? prepare_patches(adding, module, &added->places)
		       : 0;
}

static int open_workshop(struct probe_additions *adding)
{
	adding->workshop = (struct patch_workshop){
		.windows = &adding->cold->windows,
		.pads = &adding->cold->pads,
		.constants = { .tls_offset = stub_tls_offset() },
	};
	return decoder_open(&adding->workshop.decoder, arena_memory,
			    &adding->scratch);
}

int probe_additions_prepare(struct probe_additions *adding)
{
	int err = adding->wanted ? probe_hits_begin() : 0;

	if (!err && adding->wanted)
		err = open_workshop(adding);
	EACH_MODULE(adding->cold, m)
		if (!err && adding->wanted && module_is_loaded(m))
			err = prepare_module(adding, m);
	return err ? err : windows_seal(&adding->cold->windows);
}

void probe_additions_record(const struct probe_additions *adding,
			    uint32_t number)
{
	for (struct additions_module *m = adding->modules; m; m = m->next)
		probe_record_places(&adding->cold->recorder.part, m->module,
				    &m->places, number);
}

/* Returns the reason why the probe has no location at all. */
static enum probe_reason reason_of_none(const struct cold *cold,
					uint32_t number)
{
	const struct asked_probe *asked = cold->config.probes;
	struct probe_spec spec;

	while (asked && asked->number != number)
		asked = asked->next;
	if (!asked || probe_spec_parse(asked->text, &spec))
		return PROBE_IS_NO_NAME;
	EACH_MODULE(cold, m)
		if (module_is_loaded(m) &&
		    probe_spec_means(&spec, m->path, m == cold->modules.first))
			return PROBE_IS_NO_NAME;
	return PROBE_IS_NO_MODULE;
}

enum probe_reason probe_additions_reason(const struct probe_additions *adding,
					 uint32_t number)
{
	for (struct additions_module *m = adding->modules; m; m = m->next)
		for (uint32_t i = 0; i < m->places.count; i++) {
			const struct probe_place *place = &m->places.list[i];

			if (place->probe == number && !place->tier)
				return place->reason;
		}
	return reason_of_none(adding->cold, number);
}
