/* SPDX-License-Identifier: MIT */
#include "preload/patch/prelinked_text.h"

#include <errno.h>

#include "preload/sys/sys.h"

#define CUTS_MAX 16

/* ---- What is other ---- */

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

static int add_fix(struct prelinked_text *text, uint64_t pc,
		   const uint8_t *bytes, uint8_t count)
{
	struct patch_text *fix = &text->fixes[text->fix_count];

	if (text->fix_count == PRELINKED_TEXT_FIXES_MAX)
		return -E2BIG;
	fix->pc = pc;
	fix->bytes = count;
	for (uint8_t i = 0; i < count; i++)
		fix->after[i] = bytes[i];
	text->fix_count++;
	return 0;
}

/* In order of pc. */
struct cuts {
	const struct patch_site *sites[CUTS_MAX];
	uint32_t count;
};

/* It is to be there as it is now. */
static int cut_out(struct prelinked_text *text,
		   const struct prelinked_text_module *of,
		   const struct patch_site *site, struct cuts *cuts)
{
	const uint64_t pc = of->module->base + site->text.pc;

	if (cuts->count == CUTS_MAX)
		return -E2BIG;
	cuts->sites[cuts->count++] = site;
	return add_fix(text, pc, (const uint8_t *)(uintptr_t)pc,
		       site->text.bytes);
}

/* Functions are in the same order as sites. */
static int find_cuts(struct prelinked_text *text,
		     const struct prelinked_text_module *of, struct cuts *cuts)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < of->count; i++) {
		const struct patch_site *site;

		if (of->functions[i].verdict == of->analysed[i].verdict)
			continue;
		site = find_site(text, of, i);
		if (site)
			err = cut_out(text, of, site, cuts);
	}
	return err;
}

/* ---- Stubs that are elsewhere ---- */

static int make_stub(const struct prelinked_text_module *of,
		     struct patch_workshop *workshop, struct patch_site *site)
{
	const struct window_user user = module_user(of->module);
	const uint64_t base = of->module->base;
	uint8_t *stub;
	int err = window_alloc(workshop->windows, &user, stub_bytes(), &stub);

	if (!err)
		err = stub_write(
			&workshop->constants, &workshop->decoder,
			&(struct stub_function){
				.number = site->function,
				.pc = base + site->text.pc,
				.displaced_bytes = site->displaced_bytes,
				.loops = site->loops,
			},
			stub, (uintptr_t)stub);
	if (err)
		return err;
	site->stub = (uintptr_t)stub - base;
	site->entry = site->stub + stub_entry_at();
	return 0;
}

/* What leads to the stub: the site's text, or its island's; NULL: a breakpoint. */
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

static int move_stub(struct prelinked_text *text,
		     const struct prelinked_text_module *of,
		     struct patch_workshop *workshop, uint32_t i)
{
	struct patch_site *site = find_site(text, of, i);
	struct patch_text *leading;
	int err;

	if (!site)
		return 0;
	err = make_stub(of, workshop, site);
	leading = leading_text(text, site, &of->analysed[i]);
	if (err || !leading)
		return err;
	err = jump_encode(leading->after, leading->pc, site->entry);
	return err ? err
		   : add_fix(text, of->module->base + leading->pc,
			     leading->after, leading->bytes);
}

/* Of those that would be in the heads of blocks. In pages of their own (patch.h). */
static int move_stubs(struct prelinked_text *text,
		      const struct prelinked_text_module *of,
		      struct patch_workshop *workshop)
{
	const struct prelinked *stubs = workshop->prelinked;
	int err = 0;

	for (uint32_t i = 0; !err && i < of->count; i++)
		if (stubs->has[i] && !prelinked_stub(stubs, i))
			err = move_stub(text, of, workshop, i);
	windows_turn_page(workshop->windows);
	return err;
}

/* ---- Patches ---- */

static struct patch *add_patch(struct patch ***end, struct arena *kept)
{
	struct patch *patch = arena_alloc(kept, sizeof(*patch));

	if (!patch)
		return NULL;
	*patch = (struct patch){ 0 };
	**end = patch;
	*end = &patch->next_of_module;
	return patch;
}

/* Sites from `from` to `until`. */
static int add_piece(struct prelinked_text *text,
		     const struct prelinked_text_module *of,
		     const struct patch_site *from,
		     const struct patch_site *until, struct patch ***end,
		     struct arena *kept)
{
	struct patch *patch = add_patch(end, kept);

	if (!patch)
		return -ENOMEM;
	patch->module = (struct module *)of->module;
	patch->base = of->module->base;
	patch->sites = (struct patch_site *)from;
	patch->site_count = (uint32_t)(until - from);
	patch->stub_bytes = stub_bytes();
	patch->text = text;
	if (from != text->sites)
		return 0;
	patch->islands = text->islands;
	patch->island_count = text->about.island_count;
	patch->trap_count = text->about.trap_count;
	patch->memory_bytes = text->table_bytes;
	return 0;
}

static int add_pieces(struct prelinked_text *text,
		      const struct prelinked_text_module *of,
		      const struct cuts *cuts, struct patch ***end,
		      struct arena *kept)
{
	const struct patch_site *from = text->sites;
	int err = 0;

	for (uint32_t i = 0; !err && i < cuts->count; i++) {
		err = add_piece(text, of, from, cuts->sites[i], end, kept);
		from = cuts->sites[i] + 1;
	}
	return err ? err
		   : add_piece(text, of, from,
			       text->sites + text->about.site_count, end, kept);
}

static int add_rest(const struct prelinked_text *text,
		    const struct prelinked_text_module *of,
		    struct patch_workshop *workshop, struct patch ***end,
		    struct arena *kept)
{
	struct patch *patch;
	int err;

	if (!text->about.rest_count)
		return 0;
	patch = add_patch(end, kept);
	if (!patch)
		return -ENOMEM;
	workshop->only = text->rest;
	workshop->only_count = text->about.rest_count;
	err = patch_prepare(patch, workshop, (struct module *)of->module,
			    of->first_number, of->functions, of->count);
	workshop->only = NULL;
	return err;
}

int prelinked_text_prepare(struct prelinked_text *text,
			   const struct prelinked_text_module *of,
			   struct patch_workshop *workshop,
			   const struct pristine *pristine, struct arena *kept,
			   struct patch **chain)
{
	struct patch *first = NULL, **end = &first;
	struct cuts cuts = { .count = 0 };
	int err = pristine_written(pristine, of->module, text->written,
				   PRELINKED_TEXT_WRITTEN_MAX);

	if (err < 0)
		return err;
	text->written_count = err;
	err = find_cuts(text, of, &cuts);
	if (!err)
		err = move_stubs(text, of, workshop);
	if (!err)
		err = add_pieces(text, of, &cuts, &end, kept);
	if (!err)
		err = add_rest(text, of, workshop, &end, kept);
	if (!err)
		*chain = first;
	return err;
}
