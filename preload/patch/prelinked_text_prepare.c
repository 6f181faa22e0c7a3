/* SPDX-License-Identifier: MIT */
/* Creates the patches that hooked text stands for. See prelinked_text.h. */
#include "preload/patch/prelinked_text.h"

#include <errno.h>
#include <string.h>

#include "preload/sys/sys.h"

/*
 * Limit of the pieces into which the table of sites is cut. Each is a patch,
 * and signal handlers search all patches.
 */
#define PIECES_MAX 16

/*
 * If at most this many functions have another verdict than in the file, they
 * cost little, on however many pages they are.
 */
#define FEW_OTHERS 16

#define AT_FIRST   64

/* ---- Differences ---- */

static struct patch_site *find_site(const struct prelinked_text *text,
				    const struct prelinked_text_module *of,
				    uint32_t i)
{
	const struct wire_function *function = &of->analysed[i];
	const struct patch all = { .sites = text->sites,
				   .site_count = text->about.site_count };
	struct patch_site *site = (struct patch_site *)patch_find(
		&all, function->vaddr + function->patch_offset);

	return site && site->function == of->first_number + i ? site : NULL;
}

/* State of the preparation of one text. */
struct preparation {
	struct prelinked_text *text;
	const struct prelinked_text_module *of;
	struct patch_workshop *workshop;
	struct arena *kept, *scratch;
	uint32_t fix_room;
	uint32_t *cuts; /* indices of sites to remove, in order */
	uint32_t cut_count, cut_room;
	struct patch **end; /* end of the resulting chain */
};

/*
 * Enlarges the array if it has no room for one more item. Returns 0 or -ENOMEM.
 */
static int make_room(struct arena *arena, void **items, uint32_t count,
		     uint32_t *room, size_t bytes)
{
	const uint32_t larger = *room ? 2 * *room : AT_FIRST;
	void *grown;

	if (count < *room)
		return 0;
	grown = arena_alloc(arena, larger * bytes);
	if (!grown)
		return -ENOMEM;
	if (count)
		memcpy(grown, *items, count * bytes);
	*items = grown;
	*room = larger;
	return 0;
}

static int add_fix(struct preparation *making, uint64_t pc,
		   const uint8_t *bytes, uint8_t count)
{
	struct prelinked_text *text = making->text;
	struct patch_text *fix;
	int err = count > PATCH_BYTES_MAX
			  ? -EBADMSG
			  : make_room(making->scratch, (void **)&text->fixes,
				      text->fix_count, &making->fix_room,
				      sizeof(*fix));

	if (err)
		return err;
	fix = &text->fixes[text->fix_count++];
	fix->pc = pc;
	fix->bytes = count;
	memcpy(fix->after, bytes, count);
	return 0;
}

/*
 * Returns whether the function has another verdict in this process, so that its
 * hook in the file must be undone or replaced.
 */
static int is_other(const struct prelinked_text_module *of, uint32_t i)
{
	return of->functions[i].verdict != of->analysed[i].verdict &&
	       verdict_is_written(of->analysed[i].verdict);
}

/* Removes a site. The function keeps the bytes that it has in this process. */
static int cut_out(struct preparation *making, const struct patch_site *site)
{
	struct prelinked_text *text = making->text;
	const uint64_t pc = making->of->module->base + site->text.pc;
	const uint32_t index = (uint32_t)(site - text->sites);
	int err = make_room(making->scratch, (void **)&making->cuts,
			    making->cut_count, &making->cut_room,
			    sizeof(*making->cuts));

	if (err)
		return err;
	if (making->cut_count && index <= making->cuts[making->cut_count - 1])
		return -EBADMSG;
	making->cuts[making->cut_count++] = index;
	text->about.trap_count -= site->verdict == VERDICT_IS_TRAP;
	return add_fix(making, pc, (const uint8_t *)(uintptr_t)pc,
		       site->text.bytes);
}

/* Counts the pages of sites, which are added in order of pc. */
struct pages {
	uint64_t last, count;
};

static void add_page(struct pages *pages, const struct wire_function *function)
{
	const uint64_t page =
		(function->vaddr + function->patch_offset) / PAGE_BYTES;

	pages->count += !pages->count || page != pages->last;
	pages->last = page;
}

/*
 * Returns whether using the text needs no more private pages than hooking
 * without it. Making a page private takes longer than all other work for the
 * sites in it.
 */
static int is_worth_it(const struct prelinked_text_module *of)
{
	struct pages cut = { 0 }, hooked = { 0 };

	for (uint32_t i = 0; i < of->count; i++)
		if (is_other(of, i))
			add_page(&cut, &of->analysed[i]);
		else if (verdict_is_written(of->functions[i].verdict))
			add_page(&hooked, &of->analysed[i]);
	return cut.count <= hooked.count;
}

static uint32_t count_others(const struct prelinked_text_module *of)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < of->count; i++)
		count += (uint32_t)is_other(of, i);
	return count;
}

/* Finds the sites to remove. Functions and sites are in the same order. */
static int find_cuts(struct preparation *making)
{
	const struct prelinked_text_module *of = making->of;
	const uint32_t others = count_others(of);
	int err = 0;

	if (others > FEW_OTHERS && !is_worth_it(of))
		return -E2BIG;
	if (!others)
		return 0;
	for (uint32_t i = 0; !err && i < of->count; i++) {
		const struct patch_site *site =
			is_other(of, i) ? find_site(making->text, of, i) : NULL;

		if (site)
			err = cut_out(making, site);
	}
	return err;
}

/* ---- Stubs at the heads of blocks ---- */

static int make_stub(const struct prelinked_text_module *of,
		     struct patch_workshop *workshop, struct patch_site *site)
{
	const struct window_user user = module_user(of->module);
	const uint64_t base = of->module->base;
	const struct stub_function function = patch_function_of(site, base);
	uint8_t *stub;
	int err = window_alloc(workshop->windows, &user, stub_bytes(), &stub);

	if (!err)
		err = stub_write(&workshop->constants, &workshop->decoder,
				 &function, stub, (uintptr_t)stub);
	if (err)
		return err;
	site->stub = (uintptr_t)stub - base;
	site->entry = site->stub + stub_entry_at();
	return 0;
}

/*
 * Returns the bytes that contain the jump to the stub: those of the site or of
 * its island. Returns NULL if the site is a breakpoint.
 */
static struct patch_text *leading_text(const struct prelinked_text *text,
				       struct patch_site *site,
				       const struct wire_function *function)
{
	const uint64_t pc = site->text.pc + JUMP_SHORT_BYTES +
			    (uint64_t)(int64_t)function->island;

	if (site->verdict == VERDICT_IS_TRAP)
		return NULL;
	if (site->verdict != VERDICT_IS_JUMP_SHORT)
		return &site->text;
	for (uint32_t i = 0; i < text->about.island_count; i++)
		if (text->islands[i].pc == pc)
			return &text->islands[i];
	return NULL;
}

static int move_stub(struct preparation *making, uint32_t i)
{
	struct prelinked_text *text = making->text;
	const struct prelinked_text_module *of = making->of;
	struct patch_site *site =
		is_other(of, i) ? NULL : find_site(text, of, i);
	struct patch_text *leading;
	int err;

	if (!site)
		return 0;
	err = make_stub(of, making->workshop, site);
	leading = leading_text(text, site, &of->analysed[i]);
	if (err || !leading)
		return err;
	err = jump_encode(leading->after, leading->pc, site->entry);
	return err ? err
		   : add_fix(making, of->module->base + leading->pc,
			     leading->after, leading->bytes);
}

/*
 * Returns the first function, from the i-th on, whose stub would lie in the
 * first page of a block, where the block's ELF image is.
 */
static uint32_t next_in_head(const struct prelinked *stubs, uint32_t i)
{
	const uint64_t in_block =
		(stubs->stubs + i * stub_bytes()) % WINDOW_BLOCK_BYTES;

	return in_block < WINDOW_HEAD_BYTES
		       ? i
		       : i + (uint32_t)((WINDOW_BLOCK_BYTES - in_block +
					 stub_bytes() - 1) /
					stub_bytes());
}

/*
 * Creates other stubs for the functions that next_in_head() finds, on pages
 * without other stubs (patch.h).
 */
static int move_stubs(struct preparation *making)
{
	const struct prelinked *stubs = making->workshop->prelinked;
	int err = 0;

	for (uint32_t i = next_in_head(stubs, 0); !err && i < making->of->count;
	     i = next_in_head(stubs, i + 1))
		if (stubs->has[i])
			err = move_stub(making, i);
	windows_turn_page(making->workshop->windows);
	return err;
}

/* ---- Patches ---- */

static struct patch *add_patch(struct preparation *making)
{
	struct patch *patch = arena_alloc(making->kept, sizeof(*patch));

	if (!patch)
		return NULL;
	*patch = (struct patch){ 0 };
	*making->end = patch;
	making->end = &patch->next_of_module;
	return patch;
}

/*
 * Adds a patch with the sites [from, until). The first patch also gets the
 * islands and the memory of the whole table.
 */
static int add_piece(struct preparation *making, uint32_t from, uint32_t until)
{
	struct prelinked_text *text = making->text;
	struct patch *patch = add_patch(making);

	if (!patch)
		return -ENOMEM;
	patch->module = (struct module *)making->of->module;
	patch->base = making->of->module->base;
	patch->sites = text->sites + from;
	patch->site_count = until - from;
	patch->stub_bytes = stub_bytes();
	patch->text = text;
	if (from)
		return 0;
	patch->islands = text->islands;
	patch->island_count = text->about.island_count;
	patch->trap_count = text->about.trap_count;
	patch->memory_bytes = text->table_bytes;
	return 0;
}

/*
 * Sets *from and *until to the range of sites between the k-th cut and the one
 * before it.
 */
static void between_cuts(const struct preparation *making, uint32_t k,
			 uint32_t *from, uint32_t *until)
{
	*from = k ? making->cuts[k - 1] + 1 : 0;
	*until = k < making->cut_count ? making->cuts[k]
				       : making->text->about.site_count;
}

static uint32_t count_pieces(const struct preparation *making)
{
	uint32_t count = 1, from, until;

	for (uint32_t k = 1; k <= making->cut_count; k++) {
		between_cuts(making, k, &from, &until);
		count += from < until;
	}
	return count;
}

static int add_pieces(struct preparation *making)
{
	uint32_t from, until;
	int err = 0;

	for (uint32_t k = 0; !err && k <= making->cut_count; k++) {
		between_cuts(making, k, &from, &until);
		if (from < until || !k)
			err = add_piece(making, from, until);
	}
	return err;
}

/*
 * Copies the table without the removed sites to new memory. Moving sites within
 * the table would also copy the pages of the file's mapping.
 */
static int close_gaps(struct preparation *making)
{
	struct prelinked_text *text = making->text;
	uint8_t *old = (uint8_t *)text->sites;
	uint8_t *table =
		place_map(text->table_bytes, SYS_PROT_OURS,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	const uint64_t islands_at = (uint64_t)((uint8_t *)text->islands - old);
	uint32_t count = 0, from, until;

	if (sys_failed(table))
		return (int)(long)table;
	for (uint32_t k = 0; k <= making->cut_count; k++) {
		between_cuts(making, k, &from, &until);
		memcpy((struct patch_site *)table + count, text->sites + from,
		       (until - from) * sizeof(*text->sites));
		count += until - from;
	}
	memcpy(table + islands_at, old + islands_at,
	       text->table_bytes - islands_at);
	text->rest = (uint32_t *)(table + ((uint8_t *)text->rest - old));
	text->islands = (struct patch_text *)(table + islands_at);
	text->sites = (struct patch_site *)table;
	text->about.site_count = count;
	making->cut_count = 0;
	sys_munmap(old, text->table_bytes);
	return 0;
}

static int add_rest(struct preparation *making)
{
	const struct prelinked_text *text = making->text;
	const struct prelinked_text_module *of = making->of;
	struct patch_workshop *workshop = making->workshop;
	struct patch *patch;
	int err;

	if (!text->about.rest_count)
		return 0;
	patch = add_patch(making);
	if (!patch)
		return -ENOMEM;
	workshop->only = text->rest;
	workshop->only_count = text->about.rest_count;
	err = patch_prepare(patch, workshop, (struct module *)of->module,
			    of->first_number, of->functions, of->count);
	workshop->only = NULL;
	return err;
}

static int prepare(struct preparation *making)
{
	int err = find_cuts(making);

	if (!err && count_pieces(making) > PIECES_MAX)
		err = close_gaps(making);
	if (!err)
		err = move_stubs(making);
	if (!err)
		err = add_pieces(making);
	return err ? err : add_rest(making);
}

int prelinked_text_prepare(struct prelinked_text *text,
			   const struct prelinked_text_module *of,
			   struct patch_workshop *workshop,
			   const struct pristine *pristine, struct arena *kept,
			   struct arena *scratch, struct patch **chain)
{
	struct patch *first = NULL;
	struct preparation making = {
		.text = text,
		.of = of,
		.workshop = workshop,
		.kept = kept,
		.scratch = scratch,
		.end = &first,
	};
	int err = pristine_written(pristine, of->module, text->written,
				   PRELINKED_TEXT_WRITTEN_MAX);

	if (err < 0)
		return err;
	text->written_count = err;
	err = prepare(&making);
	if (!err)
		*chain = first;
	return err;
}
