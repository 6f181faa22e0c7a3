/* SPDX-License-Identifier: MIT */
/* Creates hooked text. See prelinked_text.h. */
#include "preload/patch/prelinked_text.h"

#include <errno.h>
#include <string.h>

#include "preload/sys/sys.h"

struct text_making {
	const struct prelinked_text *text;
	const struct prelinked_text_module *of;
	/* the hooks that were prepared in this process */
	const struct patch *patch;
	const struct prelinked *stubs;
	struct prelinked_text_about about;
	struct prelinked_text_layout layout;
	struct prelinked_writing writing;
	uint64_t written[PRELINKED_TEXT_WRITTEN_MAX]; /* pages */
	int written_count;
	/*
	 * By function: 1 if the hooked text contains the function's site
	 * (is_everywhere()).
	 */
	uint8_t *is_site;
	struct patch_site *sites;
	struct patch_text *islands;
	uint32_t *rest;
};

/* ---- Selecting sites ---- */

static int is_written_to(const struct text_making *making,
			 const struct patch_text *text)
{
	for (int i = 0; i < making->written_count; i++)
		if (text->pc + text->bytes > making->written[i] &&
		    text->pc < making->written[i] + PAGE_BYTES)
			return 1;
	return 0;
}

static const struct wire_function *function_of(const struct text_making *making,
					       const struct patch_site *site)
{
	return &making->of->analysed[site->function - making->of->first_number];
}

/*
 * Returns whether the site's bytes are the same in each process: the distance
 * to the jump's target must be fixed.
 */
static int is_everywhere(const struct text_making *making,
			 const struct patch_site *site)
{
	const uint32_t i = site->function - making->of->first_number;

	if (!making->stubs->has[i] || site->is_host || site->is_guest ||
	    site->verdict != making->of->analysed[i].verdict ||
	    is_written_to(making, &site->text))
		return 0;
	switch (site->verdict) {
	case VERDICT_IS_JUMP:
	case VERDICT_IS_JUMP_PADDED:
	case VERDICT_IS_JUMP_SHORT:
	case VERDICT_IS_TRAP:
		return 1;
	default:
		return 0;
	}
}

static void choose_sites(struct text_making *making)
{
	struct prelinked_text_about *about = &making->about;

	for (uint32_t i = 0; i < making->patch->site_count; i++) {
		const struct patch_site *site = &making->patch->sites[i];

		if (!is_everywhere(making, site))
			continue;
		making->is_site[site->function - making->of->first_number] = 1;
		about->site_count++;
		about->island_count += site->verdict == VERDICT_IS_JUMP_SHORT;
		about->trap_count += site->verdict == VERDICT_IS_TRAP;
	}
	for (uint32_t i = 0; i < making->of->count; i++)
		about->rest_count +=
			!making->is_site[i] &&
			verdict_is_written(making->of->analysed[i].verdict);
}

/* ---- The bytes of sites ---- */

static const struct patch_text *find_island(const struct patch *patch,
					    uint64_t pc)
{
	for (uint32_t i = 0; i < patch->island_count; i++)
		if (patch->islands[i].pc == pc)
			return &patch->islands[i];
	return NULL;
}

/*
 * Adds the island of a site whose stub has the same distance from the module in
 * every process. Returns 0, or -errno: -ENOENT if the patch has no such island.
 */
static int add_island(struct text_making *making, const struct patch_site *site)
{
	const uint64_t base = making->of->module->base;
	const uint64_t pc =
		base + site->text.pc + JUMP_SHORT_BYTES +
		(uint64_t)(int64_t)function_of(making, site)->island;
	const struct patch_text *here = find_island(making->patch, pc);
	struct patch_text *island =
		&making->islands[making->about.island_count];

	if (!here)
		return -ENOENT;
	*island = *here;
	island->pc -= base;
	making->about.island_count++;
	return jump_encode(island->after, island->pc, site->entry);
}

static int add_site(struct text_making *making, const struct patch_site *here)
{
	const uint64_t base = making->of->module->base;
	const uint32_t i = here->function - making->of->first_number;
	struct patch_site *site = &making->sites[making->about.site_count++];

	*site = *here;
	site->text.pc -= base;
	site->stub = making->stubs->stubs + i * stub_bytes() - base;
	site->entry = site->stub + stub_entry_at();
	switch (site->verdict) {
	case VERDICT_IS_TRAP:
		return 0;
	case VERDICT_IS_JUMP_SHORT:
		return add_island(making, site);
	default:
		return jump_encode(site->text.after, site->text.pc,
				   site->entry);
	}
}

static int fill_tables(struct text_making *making)
{
	int err = 0;

	making->about.site_count = making->about.island_count =
		making->about.rest_count = 0;
	for (uint32_t i = 0; !err && i < making->patch->site_count; i++) {
		const struct patch_site *site = &making->patch->sites[i];

		if (making->is_site[site->function - making->of->first_number])
			err = add_site(making, site);
	}
	for (uint32_t i = 0; i < making->of->count; i++)
		if (!making->is_site[i] &&
		    verdict_is_written(making->of->analysed[i].verdict))
			making->rest[making->about.rest_count++] = i;
	return err;
}

static int make_tables(struct text_making *making, struct arena *scratch)
{
	making->is_site = arena_alloc(scratch, making->of->count);
	if (!making->is_site)
		return -ENOMEM;
	memset(making->is_site, 0, making->of->count);
	choose_sites(making);
	if (!making->about.site_count)
		return -ENOTSUP;
	making->layout = prelinked_text_layout(&making->about);
	making->sites = arena_alloc(scratch, making->layout.end -
						     making->layout.tables_at);
	if (!making->sites)
		return -ENOMEM;
	making->islands =
		(struct patch_text *)&making->sites[making->about.site_count];
	making->rest = (uint32_t *)&making->islands[making->about.island_count];
	return fill_tables(making);
}

/* ---- The file ---- */

static int is_worth_it(const struct prelinked_text_module *of,
		       const struct pristine_file *file)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < of->module->segment_count; i++) {
		const ElfW(Phdr) *segment = &of->module->segments[i];
		const uint64_t here = segment->p_offset + segment->p_filesz;

		if (segment->p_type == PT_LOAD && here > end)
			end = here;
	}
	return prelinked_file_is_worth_copying(file->bytes, end);
}

/* Returns the offset in the file of the bytes that a patch changes, or 0. */
static uint64_t offset_of(const struct module *module,
			  const struct patch_text *text)
{
	for (uint32_t i = 0; i < module->segment_count; i++) {
		const ElfW(Phdr) *segment = &module->segments[i];
		const uint64_t skipped = text->pc - segment->p_vaddr;

		if (segment->p_type == PT_LOAD && pristine_is_seen(segment) &&
		    text->pc >= segment->p_vaddr &&
		    skipped + text->bytes <= segment->p_filesz)
			return segment->p_offset + skipped;
	}
	return 0;
}

static int write_text(const struct text_making *making,
		      const struct patch_text *text)
{
	const uint64_t at = offset_of(making->of->module, text);

	return at ? prelinked_file_write(&making->writing, text->after,
					 text->bytes, at)
		  : -ENOTSUP;
}

static int write_hooks(const struct text_making *making)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < making->about.island_count; i++)
		err = write_text(making, &making->islands[i]);
	for (uint32_t i = 0; !err && i < making->about.site_count; i++)
		err = write_text(making, &making->sites[i].text);
	return err;
}

static int write_tables(struct text_making *making)
{
	struct prelinked_head *head = &making->writing.head;
	int err = prelinked_file_write(&making->writing, making->sites,
				       making->layout.end -
					       making->layout.tables_at,
				       making->layout.tables_at);

	head->function_count = making->of->count;
	head->stubs_at = making->layout.tables_at;
	head->maker = making->text->maker;
	head->key = making->text->key;
	head->flags = prelinked_sum(PRELINKED_SUM_OF_NOTHING, &making->about,
				    sizeof(making->about));
	return err ? err
		   : prelinked_file_write(&making->writing, &making->about,
					  sizeof(making->about),
					  making->layout.head_at +
						  sizeof(*head));
}

/*
 * Writes the file. The file that is copied must be the mapped one, and must not
 * change during the copy.
 */
static int write_file(struct text_making *making)
{
	const struct pristine_file *file = &making->about.file;
	const int fd =
		sys_open(making->of->module->path, O_RDONLY | O_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return fd;
	err = prelinked_file_copy(&making->writing, fd, file->bytes);
	if (!err)
		err = write_hooks(making);
	if (!err)
		err = write_tables(making);
	if (!err && !pristine_is_open_at(file, fd))
		err = -ESTALE;
	sys_close(fd);
	return err;
}

int prelinked_text_make(const struct prelinked_text *text,
			const struct prelinked_text_module *of,
			const struct patch *patch,
			const struct prelinked *stubs,
			const struct prelinked_folder *folder,
			const struct pristine *pristine, struct arena *scratch)
{
	struct text_making making = {
		.text = text,
		.of = of,
		.patch = patch,
		.stubs = stubs,
		.about = { .file = text->about.file },
	};
	char name[PRELINKED_NAME_BYTES];
	int err = prelinked_name(name, of->stubs_of, text->number,
				 PRELINKED_TEXT);

	if (err || !is_worth_it(of, &text->about.file))
		return err ? err : -EFBIG;
	making.written_count =
		pristine_written(pristine, of->module, making.written,
				 PRELINKED_TEXT_WRITTEN_MAX);
	if (making.written_count < 0)
		return making.written_count;
	err = make_tables(&making, scratch);
	if (!err)
		err = prelinked_file_begin(
			&making.writing, folder, name, PRELINKED_TEXT,
			making.layout.head_at + PRELINKED_HEAD_PAGE);
	if (err)
		return err;
	err = write_file(&making);
	if (!err)
		return prelinked_file_commit(&making.writing);
	prelinked_file_revert(&making.writing);
	return err;
}
