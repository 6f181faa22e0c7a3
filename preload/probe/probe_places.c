/* SPDX-License-Identifier: MIT */
/* See probe_places.h. */
#include "preload/probe/probe_places.h"

#include <errno.h>
#include <string.h>

#include "disasm/jumps.h"
#include "preload/hot/runtime.h"
#include "preload/patch/patch.h"
#include "wire/verdict.h"

struct place_search {
	struct probe_places *places;
	const struct candidate *candidate;
	const struct asked_probe *probe; /* the probe that is searched for */
	int err;
};

/* ---- The list ---- */

static uint32_t function_of(const struct candidate *candidate, uint64_t vaddr)
{
	const struct wire_module *module = candidate->entry.module;
	const uint32_t until =
		module ? wire_functions_until(candidate->entry.functions,
					      module->function_count, vaddr)
		       : 0;

	return until ? until - 1 : 0;
}

/* Returns whether vaddr is in the function and the function is a leaf. */
static int is_in_leaf(const struct candidate *candidate, uint32_t function,
		      uint64_t vaddr)
{
	const struct wire_module *module = candidate->entry.module;
	const struct wire_function *its = candidate->entry.functions;

	if (!module || !module->function_count)
		return 0;
	its += function;
	return wire_is_leaf(its) && vaddr - its->vaddr < its->size_bytes;
}

static int make_room(struct probe_places *places)
{
	const uint32_t room = places->room ? 2 * places->room : 16;
	struct probe_place *list;

	if (places->count < places->room)
		return 0;
	list = arena_alloc(places->arena, room * sizeof(*list));
	if (!list)
		return -ENOMEM;
	if (places->count)
		memcpy(list, places->list, places->count * sizeof(*list));
	places->list = list;
	places->room = room;
	return 0;
}

static void add_site(void *context, const struct probe_site *site)
{
	struct place_search *search = context;
	struct probe_places *places = search->places;
	const uint32_t function = function_of(search->candidate, site->vaddr);

	if (make_room(places)) {
		search->err = -ENOMEM;
		return;
	}
	places->list[places->count++] = (struct probe_place){
		.site = *site,
		.probe = search->probe->number,
		.function = function,
		.tier = site->tier,
		.reason = site->reason,
		.is_leaf = (uint8_t)is_in_leaf(search->candidate, function,
					       site->vaddr),
	};
}

static void refuse(struct probe_place *place, enum probe_reason reason)
{
	place->tier = PROBE_BY_NONE;
	place->reason = (uint8_t)reason;
}

/* ---- Sites ---- */

/*
 * Marks the islands (jumps of clew in padding), which no probe may overwrite.
 */
static void mark_islands(const struct candidate *candidate, struct marks *taken)
{
	for (uint32_t i = 0; i < candidate->entry.module->function_count; i++) {
		const struct wire_function *f = &candidate->entry.functions[i];
		uint64_t island = f->vaddr + f->patch_offset +
				  JUMP_SHORT_BYTES +
				  (uint64_t)(int64_t)f->island;

		if (f->verdict != VERDICT_IS_JUMP_SHORT)
			continue;
		for (unsigned int byte = 0; byte < JUMP_BYTES; byte++)
			marks_set(taken, island + byte);
	}
}

/*
 * Returns whether the probe may be in this module. A function without a module
 * is sought in every module, an address without a module only in the program.
 */
static int is_sought(const struct probe_spec *spec,
		     const struct candidate *candidate, int is_program)
{
	return probe_spec_means(spec, candidate->module->path, is_program);
}

static int is_wanted(const struct place_search *search)
{
	return search->places->wanted >> search->probe->number & 1;
}

static void walk_probes(struct place_search *search,
			const struct config *config,
			const struct probe_map *map, int is_program)
{
	struct probe_spec spec;

	for (search->probe = config->probes; search->probe;
	     search->probe = search->probe->next)
		if (is_wanted(search) &&
		    !probe_spec_parse(search->probe->text, &spec) &&
		    is_sought(&spec, search->candidate, is_program))
			probe_spec_walk(&spec, map, add_site, search);
}

/* Marks the sites of other probes in the module's code. */
static void mark_probes(const struct candidate *candidate, struct marks *taken)
{
	const struct module *module = candidate->module;

	for (const struct patch *p = module->patches; p; p = p->next_of_module)
		for (uint32_t i = 0; i < p->site_count; i++)
			if (p->probe && !p->is_disabled)
				marks_set(taken, p->base + p->sites[i].text.pc -
							 module->base);
}

/*
 * Searches the module for the probes' locations. It searches twice, because all
 * locations must be known before a way to patch each one (its tier) is chosen:
 * a jump must not overwrite the location of another probe.
 */
static int find_sites(struct place_search *search, const struct config *config,
		      struct probe_map *map, int is_program)
{
	struct probe_places *places = search->places;

	walk_probes(search, config, map, is_program);
	for (uint32_t i = 0; i < places->count; i++)
		marks_set(&map->taken, places->list[i].site.patch_vaddr);
	mark_islands(search->candidate, &map->taken);
	mark_probes(search->candidate, &map->taken);
	places->count = 0;
	walk_probes(search, config, map, is_program);
	return search->err;
}

static void refuse_doubles(struct probe_places *places)
{
	for (uint32_t i = 0; i < places->count; i++)
		for (uint32_t j = 0; j < i; j++)
			if (places->list[i].site.patch_vaddr ==
				    places->list[j].site.patch_vaddr &&
			    places->list[i].tier && places->list[j].tier)
				refuse(&places->list[i], PROBE_IS_TWICE);
}

/*
 * Refuses locations where memory differs from the file that was analysed,
 * except those whose probe is reached through a stub.
 */
static void check_memory(struct probe_places *places,
			 const struct candidate *candidate,
			 const struct image *image)
{
	for (uint32_t i = 0; i < places->count; i++) {
		struct probe_place *place = &places->list[i];
		const uint64_t vaddr = place->site.patch_vaddr;

		if (place->tier && place->tier != PROBE_BY_STUB &&
		    memcmp(image_at(image, vaddr, NULL),
			   (const void *)(candidate->module->base + vaddr),
			   place->site.displaced_bytes) != 0)
			refuse(place, PROBE_IS_CHANGED);
	}
}

/* ---- Hooks that overlap ---- */

static int is_watched(const struct wire_function *function)
{
	return verdict_is_written(function->verdict) &&
	       verdict_class(function->verdict) != VERDICT_HOOKED;
}

static uint64_t hook_start(const struct wire_function *function)
{
	return function->vaddr + function->patch_offset;
}

/*
 * Returns the end of a hook's bytes, including unchanged bytes that are a part
 * of its jump.
 */
static uint64_t hook_end(const struct wire_function *function)
{
	const unsigned int displaced = wire_displaced_bytes(function);

	return hook_start(function) +
	       (displaced > JUMP_BYTES ? displaced : JUMP_BYTES);
}

static int meets(const struct probe_place *place,
		 const struct wire_function *function)
{
	const uint64_t start = place->site.patch_vaddr;
	const uint64_t end =
		start +
		(place->tier == PROBE_BY_JUMP ? JUMP_BYTES : BREAKPOINT_BYTES);

	return verdict_is_written(function->verdict) &&
	       start < hook_end(function) && hook_start(function) < end;
}

/*
 * Decides about a probe inside of a hook's bytes. If the hook begins at the
 * probe's location, it stays, and its stub leads to the probe.
 */
static void settle_inside(struct probe_place *place,
			  struct wire_function *function, int is_late)
{
	if (!meets(place, function))
		return;
	if (is_watched(function))
		refuse(place, PROBE_IS_WATCHED);
	else if (is_late && hook_start(function) != place->site.patch_vaddr)
		refuse(place, PROBE_IS_DISPLACED);
	else if (hook_start(function) != place->site.patch_vaddr)
		function->verdict = VERDICT_IS_PROBED;
}

static void settle_first(struct probe_place *place,
			 const struct wire_function *function)
{
	if (verdict_class(function->verdict) != VERDICT_HOOKED ||
	    hook_start(function) != place->site.patch_vaddr ||
	    (!place->tier && place->reason != PROBE_IS_NO_TRAP))
		return;
	place->tier = PROBE_BY_STUB;
	place->reason = PROBE_IS_NONE;
}

/*
 * Returns whether the location is among instructions that another probe has
 * displaced.
 */
static int is_displaced(const struct probe_place *place,
			const struct module *module, const struct patch *patch)
{
	const uint64_t pc =
		module->base + place->site.patch_vaddr - patch->base;

	for (uint32_t i = 0; i < patch->site_count; i++) {
		const struct patch_site *site = &patch->sites[i];

		if (!site->is_in_stub && pc > site->text.pc &&
		    pc < site->text.pc + site->displaced_bytes)
			return 1;
	}
	return 0;
}

static void settle_probes(struct probe_place *place,
			  const struct module *module)
{
	const uint64_t pc = module->base + place->site.patch_vaddr;
	const struct patch *patch = module->patches;

	for (; patch && place->tier; patch = patch->next_of_module) {
		if (!patch->probe || patch->is_disabled)
			continue;
		if (patch_find(patch, pc))
			refuse(place, PROBE_IS_TWICE);
		else if (is_displaced(place, module, patch))
			refuse(place, PROBE_IS_DISPLACED);
	}
}

static void settle_hooks(struct probe_places *places,
			 const struct candidate *candidate)
{
	const uint32_t count = candidate->entry.module->function_count;

	for (uint32_t i = 0; i < places->count; i++) {
		settle_probes(&places->list[i], candidate->module);
		for (uint32_t f = 0; places->list[i].tier && f < count; f++)
			settle_inside(&places->list[i],
				      &candidate->entry.functions[f],
				      places->is_late);
	}
	for (uint32_t i = 0; i < places->count; i++)
		for (uint32_t f = 0; f < count; f++)
			settle_first(&places->list[i],
				     &candidate->entry.functions[f]);
}

/* Returns a bit for each probe that waits for the end of a call. */
static uint32_t awaiting_of(const struct config *config)
{
	uint32_t awaiting = 0;

	for (const struct asked_probe *p = config->probes; p; p = p->next)
		if (p->action.awaits)
			awaiting |= UINT32_C(1) << p->number;
	return awaiting;
}

/*
 * Refuses locations from which the probe cannot wait for the end of the call:
 * only the hook of a function that calls others leaves an address of clew's on
 * the stack.
 */
static void settle_awaiting(struct probe_places *places, uint32_t awaiting)
{
	for (uint32_t i = 0; i < places->count; i++) {
		struct probe_place *place = &places->list[i];

		if (place->tier && awaiting >> place->probe & 1 &&
		    (place->tier != PROBE_BY_STUB ||
		     (place->is_leaf && rt.leaf_stub)))
			refuse(place, PROBE_IS_NO_END);
	}
}

/*
 * Decides about all locations. In a module that is hooked already, memory is
 * compared with the file last: locations at hooks, whose bytes differ from the
 * file, have been settled then.
 */
static void settle(struct probe_places *places, const struct config *config,
		   const struct candidate *candidate, const struct image *image)
{
	if (!places->is_late)
		check_memory(places, candidate, image);
	refuse_doubles(places);
	settle_hooks(places, candidate);
	settle_awaiting(places, awaiting_of(config));
	if (places->is_late)
		check_memory(places, candidate, image);
}

/* ---- Modules ---- */

/* Adds a refusal for each probe that names this module, which is not hooked. */
static void note_module(struct place_search *search,
			const struct config *config, int is_program)
{
	const struct probe_site none = { .reason = PROBE_IS_MODULE };
	struct probe_spec spec;

	for (search->probe = config->probes; search->probe;
	     search->probe = search->probe->next)
		if (is_wanted(search) &&
		    !probe_spec_parse(search->probe->text, &spec) &&
		    (*spec.module || !*spec.function) &&
		    is_sought(&spec, search->candidate, is_program))
			add_site(search, &none);
}

static int may_have_any(struct place_search *search,
			const struct config *config, const struct image *image,
			int is_program)
{
	struct probe_spec spec;

	for (search->probe = config->probes; search->probe;
	     search->probe = search->probe->next)
		if (is_wanted(search) &&
		    !probe_spec_parse(search->probe->text, &spec) &&
		    is_sought(&spec, search->candidate, is_program) &&
		    probe_spec_is_in(&spec, image))
			return 1;
	return 0;
}

/*
 * Refuses all probes of this module, because memory was too short to find them.
 */
static void refuse_all(struct place_search *search, const struct config *config,
		       int is_program)
{
	struct probe_places *places = search->places;
	struct probe_spec spec;

	places->list = places->last;
	places->room = WIRE_PROBES_MAX;
	places->count = 0;
	for (const struct asked_probe *p = config->probes; p; p = p->next)
		if (places->wanted >> p->number & 1 &&
		    places->count < places->room &&
		    !probe_spec_parse(p->text, &spec) &&
		    is_sought(&spec, search->candidate, is_program))
			places->list[places->count++] = (struct probe_place){
				.probe = p->number,
				.reason = PROBE_IS_NO_MEMORY,
			};
}

/* Searches the module's file, if it can be read. Returns 0 or -errno. */
static int find_in_file(struct place_search *search,
			const struct config *config, int is_program,
			int has_traps)
{
	struct probe_map map;
	struct image image;
	struct inquiry inquiry = { .image = &image };
	int err = image_open(&image, search->candidate->module->path);

	if (err)
		return err;
	if (may_have_any(search, config, &image, is_program)) {
		err = inquiry_begin(&inquiry);
		if (!err)
			err = probe_map_init(&map, &inquiry, &inquiry.scratch);
		map.has_traps &= has_traps;
		if (!err)
			err = find_sites(search, config, &map, is_program);
		if (!err)
			settle(search->places, config, search->candidate,
			       &image);
	}
	arena_fini(&inquiry.scratch);
	image_close(&image);
	return err;
}

int probe_places_find(struct probe_places *places, const struct config *config,
		      const struct candidate *candidate, int is_program,
		      int has_traps)
{
	struct place_search search = { .places = places,
				       .candidate = candidate };
	int err;

	if (candidate->module->state != MODULE_IS_HOOKED) {
		note_module(&search, config, is_program);
		return search.err;
	}
	err = find_in_file(&search, config, is_program, has_traps);
	if (err != -ENOMEM)
		return 0;
	refuse_all(&search, config, is_program);
	return err;
}

uint32_t probe_places_removed(const struct config *config)
{
	uint32_t removed = 0;

	for (const struct asked_probe *p = config->probes; p; p = p->next)
		if (p->is_removed)
			removed |= UINT32_C(1) << p->number;
	return removed;
}
