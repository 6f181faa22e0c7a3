/* SPDX-License-Identifier: MIT */
/* See patch_prepare.h. */
#include "preload/patch/patch_prepare.h"

#include <errno.h>

#include "disasm/jumps.h"
#include "preload/patch/patch.h"
#include "preload/stubs/probe.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/slices.h"
#include "preload/sys/sys.h"

static enum verdict verdict_of(int err)
{
	switch (err) {
	case -ERANGE:
		return VERDICT_IS_NO_ROOM;
	case -ENOMEM:
		return VERDICT_IS_NO_MEMORY;
	case -EILSEQ:
		return VERDICT_IS_CHANGED;
	case -EPERM:
		return VERDICT_IS_NO_TRAP;
	case -EBUSY:
		return VERDICT_IS_DIVERTED;
	default:
		return VERDICT_IS_UNMOVABLE;
	}
}

/* ---- Bytes to write ---- */

static void read_before(struct patch_text *text)
{
	copy_bytes(text->before, (const void *)text->pc, text->bytes);
}

static int aim_jump(struct patch_text *text, uint64_t target)
{
	text->bytes = JUMP_BYTES;
	read_before(text);
	return jump_encode(text->after, text->pc, target);
}

static void aim_at_island(struct patch_site *site, int8_t displacement)
{
	site->text.bytes = JUMP_SHORT_BYTES;
	read_before(&site->text);
	jump_encode_short(site->text.after, displacement);
}

static uint64_t island_pc(const struct patch_site *site, int8_t displacement)
{
	return site->text.pc + JUMP_SHORT_BYTES +
	       (uint64_t)(int64_t)displacement;
}

/*
 * Adds the jump in the island, and sets the site's short jump, which leads
 * there.
 */
static int aim_short_jump(struct patch *patch, struct patch_site *site,
			  int8_t displacement)
{
	struct patch_text *island = &patch->islands[patch->island_count];
	int err;

	island->pc = island_pc(site, displacement);
	err = aim_jump(island, site->entry);
	if (err)
		return err;
	patch->island_count++;
	aim_at_island(site, displacement);
	return 0;
}

/*
 * Adds the jump behind that of the host, whose site must be set already. The
 * guest's short jump leads there.
 */
static int aim_guest(const struct patch *patch, struct patch_site *site,
		     int8_t displacement)
{
	uint64_t pc = island_pc(site, displacement);
	struct patch_site *host =
		(struct patch_site *)patch_find(patch, pc - JUMP_BYTES);
	uint8_t jump[JUMP_BYTES];
	int err;

	if (!host || host->displaced_bytes < 2 * JUMP_BYTES ||
	    host->verdict != VERDICT_IS_JUMP || host->is_host ||
	    host->has_front)
		return -ENOENT;
	err = jump_encode(jump, pc, site->entry);
	if (err)
		return err;
	host->is_host = 1;
	host->text.bytes = 2 * JUMP_BYTES;
	read_before(&host->text);
	copy_bytes(host->text.after + JUMP_BYTES, jump, sizeof(jump));
	aim_at_island(site, displacement);
	return 0;
}

/*
 * Sets a punned jump, of which only the first bytes are written, and creates
 * its pad.
 */
static int aim_punned_jump(struct patch_site *site, struct pads *pads)
{
	const unsigned int bytes = site->displaced_bytes;
	uint64_t pad_pc, low, high;
	int err;

	if (bytes < 2 || bytes >= JUMP_BYTES)
		return -EINVAL;
	jump_reach((const uint8_t *)site->text.pc, bytes, site->text.pc, &low,
		   &high);
	err = pads_place(pads, low, high, site->entry, &pad_pc);
	if (err)
		return err;
	aim_jump(&site->text, pad_pc);
	site->text.bytes = (uint8_t)bytes;
	return 0;
}

static int aim_trap(struct patch_site *site, int has_traps)
{
	if (!has_traps)
		return -EPERM;
	site->verdict = VERDICT_IS_TRAP;
	site->text.bytes = BREAKPOINT_BYTES;
	read_before(&site->text);
	site->text.after[0] = BREAKPOINT_CODE;
	return 0;
}

static int aim(struct patch *patch, struct patch_workshop *workshop,
	       struct patch_site *site, const struct wire_function *function)
{
	switch (function->verdict) {
	case VERDICT_IS_JUMP_SHORT:
		if (!site->is_guest)
			return aim_short_jump(patch, site, function->island);
		if (!aim_guest(patch, site, function->island))
			return 0;
		return aim_trap(site, workshop->has_traps);
	case VERDICT_IS_JUMP_PUNNED:
		if (!aim_punned_jump(site, workshop->pads))
			return 0;
		return aim_trap(site, workshop->has_traps);
	case VERDICT_IS_TRAP:
		return aim_trap(site, workshop->has_traps);
	default:
		return aim_jump(&site->text, site->entry);
	}
}

/* Moves the site that was added last to its position in the order of pcs. */
static void insert_site(struct patch *patch)
{
	struct patch_site *site = &patch->sites[patch->site_count];
	const struct patch_site added = *site;

	for (; site > patch->sites && site[-1].text.pc > added.text.pc; site--)
		*site = site[-1];
	*site = added;
	patch->site_count++;
}

static int write_stub(const struct patch_workshop *workshop,
		      struct patch_site *site)
{
	const struct probe_kind *kind = probe_kind_of(site->verdict);
	const struct stub_constants *constants = &workshop->constants;
	const struct stub_function function = patch_function_of(site, 0);
	uint8_t *at = (uint8_t *)site->stub;

	return kind ? probe_write(constants, &workshop->decoder, kind,
				  &function, site->function, at)
		    : stub_write(constants, &workshop->decoder, &function, at,
				 site->stub);
}

/* Creates a stub for the site. */
static int make_stub(const struct patch *patch,
		     const struct patch_workshop *workshop,
		     struct patch_site *site)
{
	const struct window_user user = module_user(patch->module);
	uint8_t *stub;
	int err = window_alloc(workshop->windows, &user, patch->stub_bytes,
			       &stub);

	if (err)
		return err;
	site->stub = (uintptr_t)stub;
	return write_stub(workshop, site);
}

static uint32_t leaf_bytes(const struct wire_function *function)
{
	return wire_is_leaf(function)
		       ? function->size_bytes - function->patch_offset
		       : 0;
}

/*
 * Returns whether the site can have a front: both jumps must displace the same
 * instructions.
 */
static int may_have_front(const struct patch_site *site)
{
	return site->verdict == VERDICT_IS_JUMP ||
	       site->verdict == VERDICT_IS_JUMP_PADDED;
}

/*
 * Prepares the i-th function, whose number is first_function + i. If its site
 * cannot be set, its stub stays unused.
 */
static int prepare_function(struct patch *patch,
			    struct patch_workshop *workshop,
			    uint32_t first_function,
			    struct wire_function *function, uint32_t i,
			    int is_guest)
{
	struct patch_site *site = &patch->sites[patch->site_count];
	int err;

	*site = (struct patch_site){
		.text.pc = patch->module->base + function->vaddr +
			   function->patch_offset,
		.verdict = function->verdict,
		.is_guest = (uint8_t)is_guest,
		.displaced_bytes = wire_displaced_bytes(function),
		.loops = (uint8_t)wire_loops(function),
		.function = first_function + i,
		.leaf_bytes = leaf_bytes(function),
		.stub = prelinked_stub(workshop->prelinked, i),
		.has_front = workshop->has_front &&
			     workshop->has_front(patch->module->base +
						 function->vaddr),
	};
	if (site->has_front && !may_have_front(site))
		return -EBUSY;
	err = site->stub ? 0 : make_stub(patch, workshop, site);
	if (err)
		return err;
	site->entry = site->stub;
	if (!probe_kind_of(site->verdict))
		site->entry += stub_entry_at();
	err = aim(patch, workshop, site, function);
	if (err)
		return err;
	function->verdict = site->verdict;
	patch->trap_count += site->verdict == VERDICT_IS_TRAP;
	patch->lands |= site->verdict == VERDICT_IS_LANDS;
	insert_site(patch);
	return 0;
}

/*
 * Returns whether the function's island is in another function (its host) and
 * not in padding.
 */
static int is_guest(const struct wire_function *functions, uint32_t count,
		    const struct wire_function *function)
{
	uint64_t island = function->vaddr + function->patch_offset +
			  JUMP_SHORT_BYTES +
			  (uint64_t)(int64_t)function->island;
	uint32_t until;

	if (function->verdict != VERDICT_IS_JUMP_SHORT)
		return 0;
	until = wire_functions_until(functions, count, island);
	return until && island - functions[until - 1].vaddr <
				functions[until - 1].size_bytes;
}

/*
 * How many functions are prepared between two calls of slices_rest(). A
 * function takes a few microseconds. slices_rest() reads the clock by a system
 * call, at which a tracer may stop the thread twice.
 */
#define BETWEEN_RESTS 256

/*
 * Calls slices_rest() after every BETWEEN_RESTS functions. Returns whether the
 * module is still loaded, because other threads may run meanwhile.
 */
static int rest(const struct patch *patch, uint32_t i)
{
	if (i % BETWEEN_RESTS == BETWEEN_RESTS - 1)
		slices_rest();
	return !patch->module->is_gone;
}

/*
 * Prepares either all functions except guests, or the guests. Guests come
 * second, because they need the sites of their hosts.
 */
static void prepare_functions(struct patch *patch,
			      struct patch_workshop *workshop,
			      uint32_t first_function,
			      struct wire_function *functions, uint32_t count,
			      int guests)
{
	const uint32_t *only = workshop->only;
	const uint32_t turns = only ? workshop->only_count : count;

	for (uint32_t turn = 0; turn < turns && rest(patch, turn); turn++) {
		const uint32_t i = only ? only[turn] : turn;
		int err;

		if (!verdict_is_written(functions[i].verdict) ||
		    is_guest(functions, count, &functions[i]) != guests)
			continue;
		err = prepare_function(patch, workshop, first_function,
				       &functions[i], i, guests);
		if (err && functions[i].verdict != VERDICT_IS_LEAP)
			functions[i].verdict = (uint8_t)verdict_of(err);
	}
}

static void count_sites(const struct patch_workshop *workshop,
			const struct wire_function *functions, uint32_t count,
			uint32_t *sites, uint32_t *islands)
{
	const uint32_t *only = workshop->only;
	const uint32_t turns = only ? workshop->only_count : count;

	*sites = *islands = 0;
	for (uint32_t turn = 0; turn < turns; turn++) {
		const uint32_t i = only ? only[turn] : turn;

		*sites += (uint32_t)verdict_is_written(functions[i].verdict);
		*islands += functions[i].verdict == VERDICT_IS_JUMP_SHORT;
	}
}

static uint64_t memory_bytes(uint32_t sites, uint32_t islands)
{
	return (sites + UINT64_C(1)) * sizeof(struct patch_site) +
	       islands * sizeof(struct patch_text);
}

int patch_prepare(struct patch *patch, struct patch_workshop *workshop,
		  struct module *module, uint32_t first_function,
		  struct wire_function *functions, uint32_t count)
{
	uint32_t sites, islands;

	count_sites(workshop, functions, count, &sites, &islands);
	*patch = (struct patch){
		.module = module,
		.stub_bytes = stub_bytes(),
		.memory_bytes = memory_bytes(sites, islands),
	};
	patch->sites = sys_map_private(patch->memory_bytes);
	if (sys_failed(patch->sites))
		return -ENOMEM;
	patch->islands = (struct patch_text *)&patch->sites[sites + 1];
	for (int guests = 0; guests <= 1; guests++)
		prepare_functions(patch, workshop, first_function, functions,
				  count, guests);
	windows_turn_page(workshop->windows); /* see patch_free_stubs() */
	if (!patch->module->is_gone)
		return 0;
	sys_munmap(patch->sites, patch->memory_bytes);
	return -ESTALE;
}
