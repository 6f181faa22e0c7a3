/* SPDX-License-Identifier: MIT */
/* See patch.h. */
#include "preload/patch/patch.h"

#include <string.h>

#include "machine/address_space.h"
#include "preload/patch/code.h"
#include "preload/patch/prelinked_text.h"
#include "preload/sys/sys.h"

static int write_text(struct code_writer *writer, uint64_t base,
		      const struct patch_text *text, int after)
{
	return code_write(writer, base + text->pc,
			  after ? text->after : text->before, text->bytes);
}

static int is_elsewhere(const struct patch_site *site)
{
	return site->is_in_stub || site->has_front;
}

static int write_patch(struct code_writer *writer, const struct patch *patch,
		       int after)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < patch->island_count; i++)
		err = write_text(writer, patch->base, &patch->islands[i],
				 after);
	for (uint32_t i = 0; !err && i < patch->site_count; i++)
		if (!is_elsewhere(&patch->sites[i]))
			err = write_text(writer, patch->base,
					 &patch->sites[i].text, after);
	return err;
}

static int write_chain(struct code_writer *writer, const struct patch *chain,
		       int after)
{
	int err = after && chain->text
			  ? prelinked_text_write(chain->text, writer, chain)
			  : 0;

	for (; !err && chain; chain = chain->next_of_module)
		if (!chain->is_disabled && !chain->text)
			err = write_patch(writer, chain, after);
	return err ? err : code_barrier(writer);
}

static int write_code(const struct patch *chain)
{
	struct code_writer writer;
	int err = code_open(&writer, CODE_IS_IDLE, chain->module), close_err;

	if (err)
		return err;
	err = write_chain(&writer, chain, 1);
	if (err)
		write_chain(&writer, chain, 0);
	close_err = code_close(&writer);
	return err ? err : close_err;
}

/*
 * Returns whether bytes must still be written after the hooked text is mapped.
 */
static int is_to_be_written(const struct patch *chain)
{
	if (chain->text && prelinked_text_is_other(chain->text))
		return 1;
	for (; chain; chain = chain->next_of_module)
		if (!chain->text)
			return 1;
	return 0;
}

/*
 * Writes a chain of patches. A hooked text (prelinked_text.h) belongs to the
 * first patch of the chain, and may contain the sites of further ones.
 */
static int write_idle(const struct patch *chain)
{
	const struct prelinked_text *text = chain->text;
	int err = text ? prelinked_text_map(text, chain->module) : 0;

	if (err || !is_to_be_written(chain))
		return err;
	err = write_code(chain);
	if (err && text)
		prelinked_text_unmap(text, chain->module);
	return err;
}

int patch_commit(struct patch *chain)
{
	uint64_t signals;
	int err;

	sys_block_signals(&signals);
	err = write_idle(chain);
	for (; !err && chain; chain = chain->next_of_module)
		chain->is_written = !chain->is_disabled;
	sys_restore_signals(&signals);
	return err;
}

static int text_fits(uint64_t base, const struct patch_text *text)
{
	return !memcmp((const void *)(base + text->pc), text->before,
		       text->bytes);
}

int patch_fits(const struct patch *patch)
{
	for (uint32_t i = 0; i < patch->island_count; i++)
		if (!text_fits(patch->base, &patch->islands[i]))
			return 0;
	for (uint32_t i = 0; i < patch->site_count; i++)
		if (!is_elsewhere(&patch->sites[i]) &&
		    !text_fits(patch->base, &patch->sites[i].text))
			return 0;
	return 1;
}

static int texts_meet(const struct patch_text *a, const struct patch_text *b)
{
	return a->pc < b->pc + b->bytes && b->pc < a->pc + a->bytes;
}

/*
 * Returns whether bytes that a patch with this base changes overlap those of
 * the other patch.
 */
static int text_meets(struct patch_text text, uint64_t base,
		      const struct patch *patch)
{
	const struct patch_site *site;

	text.pc += base - patch->base;
	site = patch_from(patch, text.pc);
	if (site > patch->sites && texts_meet(&text, &site[-1].text))
		return 1;
	if (site < patch->sites + patch->site_count &&
	    texts_meet(&text, &site->text))
		return 1;
	for (uint32_t i = 0; i < patch->island_count; i++)
		if (texts_meet(&text, &patch->islands[i]))
			return 1;
	return 0;
}

int patch_meets(const struct patch *patch, const struct patch *other)
{
	for (uint32_t i = 0; i < patch->island_count; i++)
		if (text_meets(patch->islands[i], patch->base, other))
			return 1;
	for (uint32_t i = 0; i < patch->site_count; i++)
		if (text_meets(patch->sites[i].text, patch->base, other))
			return 1;
	return 0;
}

void patch_destroy(struct patch *patch)
{
	sys_munmap(patch->sites, patch->memory_bytes);
	*patch = (struct patch){ 0 };
}

static uint64_t page_of(uint64_t pc)
{
	return pc & ~(PAGE_BYTES - 1);
}

static uint64_t page_end(uint64_t pc)
{
	return (pc + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

/* A row of consecutive stubs, from the start of a page to the end of a stub. */
struct row {
	uint64_t start, end;
};

static void free_row(const struct row *row, struct windows *windows)
{
	if (row->end)
		window_free(windows, row->start,
			    page_end(row->end) - row->start);
}

static uint64_t stub_page(const struct patch *patch, uint32_t i)
{
	return page_of(patch->base + patch->sites[i].stub);
}

/*
 * Frees the few stubs of a user's probe one by one: they are in the order in
 * which the probe's locations were found.
 */
static void free_scattered(const struct patch *patch, struct windows *windows)
{
	for (uint32_t i = 0; i < patch->site_count; i++) {
		const uint64_t page = stub_page(patch, i);
		uint32_t j = 0;

		while (j < i && stub_page(patch, j) != page)
			j++;
		if (j == i)
			window_free(windows, page, PAGE_BYTES);
	}
}

/*
 * The stubs of hooks are consecutive in the order of their creation, those of
 * guests last, except at a change of block or where a stub was not used. Their
 * pages contain no other stubs.
 */
void patch_free_stubs(const struct patch *patch, struct windows *windows)
{
	struct row row = { 0 };

	if (patch->probe) {
		free_scattered(patch, windows);
		return;
	}
	for (uint32_t i = 0; i < 2 * patch->site_count; i++) {
		const struct patch_site *site =
			&patch->sites[i % patch->site_count];

		const uint64_t stub = patch->base + site->stub;

		if (site->is_guest != i / patch->site_count)
			continue;
		if (stub < row.start || stub > page_end(row.end)) {
			free_row(&row, windows);
			row.start = page_of(stub);
		}
		row.end = stub + patch->stub_bytes;
	}
	free_row(&row, windows);
}
