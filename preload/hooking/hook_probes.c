/* SPDX-License-Identifier: MIT */
/* See hook_probes.h. */
#include "preload/hooking/hook_probes.h"

#include "preload/probe/probe_actions.h"
#include "preload/probe/probe_hit.h"
#include "preload/probe/probe_patch.h"
#include "preload/probe/probe_record.h"

struct probed_candidate *hook_probes_find(struct hook_probes *probes,
					  struct candidate *candidate,
					  int has_traps)
{
	struct cold *cold = probes->cold;
	const int is_program = candidate->module == cold->modules.first;
	struct probed_candidate *probed;

	if (!cold->config.probes)
		return NULL;
	probed = arena_alloc(probes->scratch, sizeof(*probed));
	if (!probed && !probes->last.candidate)
		probed = &probes->last;
	if (!probed)
		return NULL;
	probed->candidate = candidate;
	probed->places.arena = probes->scratch;
	probed->places.wanted = ~probe_places_removed(&cold->config);
	probe_places_find(&probed->places, &cold->config, candidate, is_program,
			  has_traps && !candidate->module->is_libc);
	probed->next = probes->first;
	probes->first = probed;
	return probed;
}

#define ALL_PROBES UINT32_MAX

static void refuse_probes(struct probed_candidate *probed, uint32_t probe,
			  enum probe_reason reason)
{
	for (uint32_t i = 0; i < probed->places.count; i++) {
		struct probe_place *place = &probed->places.list[i];

		if (!place->tier ||
		    (probe != ALL_PROBES && place->probe != probe))
			continue;
		place->tier = PROBE_BY_NONE;
		place->reason = (uint8_t)reason;
	}
}

static int has_place(const struct probed_candidate *probed, uint32_t probe)
{
	for (uint32_t i = 0; i < probed->places.count; i++)
		if (probed->places.list[i].probe == probe &&
		    probed->places.list[i].tier)
			return 1;
	return 0;
}

/*
 * Adds the probe's patch to the chain of the module's patches, behind the
 * hooks. Returns 0 or -ENOMEM.
 */
static int prepare_probe(struct hook_probes *probes,
			 struct patch_workshop *workshop,
			 struct probed_candidate *probed, uint32_t probe)
{
	struct patch *hooks = probed->candidate->patch;
	struct patch *patch = arena_alloc(&probes->cold->kept, sizeof(*patch));
	int err = patch ? probe_patch_prepare(patch, hooks->module, hooks,
					      workshop, &probed->places, probe,
					      probe_hit)
			: -ENOMEM;

	if (err)
		return err;
	probe_actions_place(probe, hooks->module);
	patch->next_of_module = hooks->next_of_module;
	hooks->next_of_module = patch;
	return 0;
}

void hook_probes_prepare(struct hook_probes *probes,
			 struct patch_workshop *workshop,
			 struct probed_candidate *probed)
{
	for (uint32_t i = 0; probed && i < WIRE_PROBES_MAX; i++)
		if (has_place(probed, i) &&
		    prepare_probe(probes, workshop, probed, i))
			refuse_probes(probed, i, PROBE_IS_NO_MEMORY);
}

void hook_probes_record(struct hook_probes *probes)
{
	for (struct probed_candidate *p = probes->first; p; p = p->next) {
		if (!p->candidate->patch)
			refuse_probes(p, ALL_PROBES, PROBE_IS_UNPATCHABLE);
		probe_record_places(&probes->cold->recorder.part,
				    p->candidate->module, &p->places,
				    PROBE_RECORD_ALL);
	}
}
