/* SPDX-License-Identifier: MIT */
/* See probe_patch.h. */
#include "preload/probe/probe_patch.h"

#include <errno.h>

#include "preload/patch/patch.h"
#include "preload/record/numbers.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/sys.h"

/* State while one patch is prepared. */
struct probe_making {
	struct patch *patch;
	struct patch *hooks;
	struct patch_workshop *workshop;
	struct probe_kind kind;
};

static enum probe_reason reason_of(int err)
{
	switch (err) {
	case -ERANGE:
		return PROBE_IS_NO_ROOM;
	case -ENOMEM:
		return PROBE_IS_NO_MEMORY;
	case -EPERM:
		return PROBE_IS_NO_TRAP;
	case -EEXIST:
		return PROBE_IS_TWICE;
	default:
		return PROBE_IS_UNMOVABLE;
	}
}

/*
 * Writes the probe's code, which calls the handler, executes the displaced
 * instructions, and continues in the program. The displaced instructions are
 * copied from `code`, or from the probe's location if `code` is NULL.
 */
static int write_probe(struct probe_making *making,
		       const struct probe_place *place, const uint8_t *code,
		       unsigned int displaced_bytes, uint64_t *stub)
{
	struct module *module = making->patch->module;
	const struct window_user user = module_user(module);
	const struct stub_function function = {
		.number = module->numbers->first + place->function,
		.pc = module->base + place->site.patch_vaddr,
		.code = code,
		.displaced_bytes = (uint8_t)displaced_bytes,
		.is_leaf = place->is_leaf,
	};
	uint8_t *at;
	int err = window_alloc(making->workshop->windows, &user,
			       making->patch->stub_bytes, &at);

	if (err)
		return err;
	*stub = (uintptr_t)at;
	return probe_write(&making->workshop->constants,
			   &making->workshop->decoder, &making->kind, &function,
			   place->probe, at);
}

static int aim(struct patch_text *text, unsigned int tier, uint64_t stub)
{
	text->bytes = tier == PROBE_BY_JUMP ? JUMP_BYTES : BREAKPOINT_BYTES;
	copy_bytes(text->before, (const void *)text->pc, text->bytes);
	if (tier == PROBE_BY_JUMP)
		return jump_encode(text->after, text->pc, stub);
	text->after[0] = BREAKPOINT_CODE;
	return 0;
}

/* Inserts a site at its position in the order of pcs. */
static void insert_site(struct patch *patch, const struct patch_site *added)
{
	struct patch_site *site = &patch->sites[patch->site_count++];

	for (; site > patch->sites && site[-1].text.pc > added->text.pc; site--)
		*site = site[-1];
	*site = *added;
}

static int prepare_site(struct probe_making *making,
			const struct probe_place *place)
{
	struct patch *patch = making->patch;
	struct patch_site site = {
		.text.pc = patch->module->base + place->site.patch_vaddr,
		.verdict = VERDICT_IS_PROBED,
		.displaced_bytes = place->site.displaced_bytes,
		.function = patch->module->numbers->first + place->function,
	};
	int err;

	if (place->tier == PROBE_BY_TRAP && !making->workshop->has_traps)
		return -EPERM;
	err = write_probe(making, place, NULL, site.displaced_bytes,
			  &site.stub);
	site.entry = site.stub;
	if (!err)
		err = aim(&site.text, place->tier, site.stub);
	if (err)
		return err;
	patch->trap_count += place->tier == PROBE_BY_TRAP;
	insert_site(patch, &site);
	return 0;
}

/* ---- In a stub ---- */

/*
 * Returns the hook at pc, or NULL. Sets *base to the value that must be added
 * to the addresses of the hook's patch.
 */
static struct patch_site *find_hook(const struct patch *hooks, uint64_t pc,
				    uint64_t *base)
{
	for (; hooks; hooks = hooks->next_of_module) {
		struct patch_site *site =
			(struct patch_site *)patch_find(hooks, pc);

		*base = hooks->base;
		if (site && verdict_class(site->verdict) == VERDICT_HOOKED)
			return site;
	}
	return NULL;
}

/*
 * Copies the original instructions that a hook displaces. The hook may have
 * overwritten the first bytes in memory.
 */
static void copy_displaced(uint8_t *out, const struct patch_site *hook,
			   uint64_t base)
{
	const unsigned int bytes = hook->displaced_bytes;

	copy_bytes(out, (const void *)(base + hook->text.pc), bytes);
	copy_bytes(out, hook->text.before,
		   bytes < hook->text.bytes ? bytes : hook->text.bytes);
}

/*
 * Makes the function's stub jump to the probe, which then executes the
 * displaced instructions.
 */
static int prepare_in_stub(struct probe_making *making,
			   const struct probe_place *place,
			   struct patch_site *hook, uint64_t base)
{
	uint8_t code[UINT8_MAX];
	const uint64_t stub = base + hook->stub;
	struct patch_site site = {
		.text.pc = stub + stub_displaced_at((const uint8_t *)stub),
		.verdict = VERDICT_IS_PROBED,
		.is_in_stub = 1,
		.displaced_bytes = hook->displaced_bytes,
		.function = hook->function,
	};
	int err;

	copy_displaced(code, hook, base);
	err = write_probe(making, place, code, site.displaced_bytes,
			  &site.stub);
	site.entry = site.stub;
	if (!err)
		err = aim(&site.text, PROBE_BY_JUMP, site.stub);
	if (err)
		return err;
	insert_site(making->patch, &site);
	if (making->patch->is_disabled)
		return 0;
	copy_bytes((void *)site.text.pc, site.text.after, site.text.bytes);
	hook->has_probe = 1;
	return 0;
}

static int lead_stub(struct probe_making *making, struct probe_place *place)
{
	uint64_t base;
	struct patch_site *hook = find_hook(
		making->hooks,
		making->patch->module->base + place->site.patch_vaddr, &base);

	if (hook)
		return hook->has_probe
			       ? -EEXIST
			       : prepare_in_stub(making, place, hook, base);
	place->tier = place->site.tier;
	place->reason = place->site.reason;
	return place->tier ? prepare_site(making, place) : -EPERM;
}

/* ---- All locations ---- */

static void prepare_place(struct probe_making *making,
			  struct probe_place *place)
{
	int err = 0;

	if (place->tier == PROBE_BY_STUB)
		err = lead_stub(making, place);
	else if (place->tier)
		err = prepare_site(making, place);
	if (!err)
		return;
	place->tier = PROBE_BY_NONE;
	place->reason = (uint8_t)reason_of(err);
}

int probe_patch_prepare(struct patch *patch, struct module *module,
			struct patch *hooks, struct patch_workshop *workshop,
			struct probe_places *places, uint32_t probe,
			probe_handler handler)
{
	struct probe_making making = {
		.patch = patch,
		.hooks = hooks,
		.workshop = workshop,
		.kind = { .verdict = VERDICT_IS_PROBED,
			  .first = PROBE_FIRST_IS_KEPT,
			  .handler = handler },
	};

	*patch = (struct patch){
		.module = module,
		.probe = probe + 1,
		.is_disabled = places->is_late,
		.stub_bytes = stub_bytes(),
		.memory_bytes = (places->count + UINT64_C(1)) *
				sizeof(struct patch_site),
	};
	patch->sites = sys_map_private(patch->memory_bytes);
	if (sys_failed(patch->sites))
		return -ENOMEM;
	for (uint32_t i = 0; i < places->count; i++)
		if (places->list[i].probe == probe)
			prepare_place(&making, &places->list[i]);
	windows_turn_page(workshop->windows); /* see patch_free_stubs() */
	return 0;
}
