/* SPDX-License-Identifier: MIT */
/* See displaced.h. */
#include "preload/lookup/displaced.h"

#include "preload/hot/layout.h"
#include "preload/hot/runtime.h"
#include "preload/hot/upcalls.h"
#include "preload/lookup/patch_find.h"
#include "preload/lookup/patches.h"
#include "preload/modules/catalog.h"
#include "preload/stubs/stub_template.h"
#include "wire/id.h"

/*
 * Returns the hook of `function` in this patch if its stub begins at address
 * `stub`, else NULL.
 */
static const struct patch_site *find_in(const struct patch *patch,
					uint32_t function, uint64_t stub)
{
	const struct module *module = patch->module;
	struct wire_module *record = catalog_loaded(module->numbers);
	const struct wire_function *entry;
	const struct patch_site *site;

	if (!record || function < record->first_function ||
	    function - record->first_function >= record->function_count)
		return NULL;
	entry = &catalog_functions(record)[function - record->first_function];
	site = patch_find(patch, module->base + entry->vaddr +
					 entry->patch_offset - patch->base);
	return site && !site->is_in_stub && patch->base + site->stub == stub
		       ? site
		       : NULL;
}

/*
 * Returns the hook whose stub begins at this address, and its patch; or NULL.
 */
static const struct patch_site *find_site(uint64_t stub,
					  const struct patch **of)
{
	const struct patch *patch =
		__atomic_load_n(&rt.patches->first, __ATOMIC_ACQUIRE);
	uint32_t function;

	if (!id_key_function(runtime_stub_key(stub), &function))
		return NULL;
	for (; patch; patch = patch->next) {
		const struct patch_site *site =
			patch->probe ? NULL : find_in(patch, function, stub);

		if (site) {
			*of = patch;
			return site;
		}
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

uint64_t hot_program_pc(uint64_t pc)
{
	const uint64_t original = displaced_pc(pc);

	return original ? original : pc;
}
