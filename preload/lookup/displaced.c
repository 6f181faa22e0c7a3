/* SPDX-License-Identifier: MIT */
/* See displaced.h. */
#include "preload/lookup/displaced.h"

#include "preload/hot/layout.h"
#include "preload/hot/runtime.h"
#include "preload/lookup/patch_find.h"
#include "preload/lookup/patches.h"
#include "preload/stubs/stub_template.h"

/*
 * Returns the hook whose stub begins at this address, and its patch; or NULL.
 */
static const struct patch_site *find_site(uint64_t stub,
					  const struct patch **of)
{
	const struct patch *patch =
		__atomic_load_n(&rt.patches->first, __ATOMIC_ACQUIRE);

	for (; patch; patch = patch->next)
		for (uint32_t i = 0; i < patch->site_count; i++) {
			const struct patch_site *site = &patch->sites[i];

			if (patch->base + site->stub != stub ||
			    site->is_in_stub || patch->probe)
				continue;
			*of = patch;
			return site;
		}
	return NULL;
}

uint64_t displaced_pc(uint64_t pc)
{
	const uint64_t row = pc & ~(STUB_BYTES - UINT64_C(1));
	const struct stub_template *template;
	const struct patch_site *site;
	const struct patch *patch;
	uint64_t stub, past;
	uint8_t kind;

	if (!rt.patches || !runtime_is_stub(pc))
		return 0;
	kind = ((const uint8_t *)row)[STUB_KIND_AT];
	template = stub_template_of(kind);
	stub = row - (uint64_t)(uint8_t)(kind - template->kind) * STUB_BYTES;
	if (pc - stub < template->displaced_at ||
	    pc - stub >= template->displaced_end)
		return 0;
	site = find_site(stub, &patch);
	if (!site)
		return 0;
	past = pc - stub - template->displaced_at;
	if (past > site->displaced_bytes)
		past = site->displaced_bytes;
	return patch->base + site->text.pc + past;
}
