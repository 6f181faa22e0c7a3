/* SPDX-License-Identifier: MIT */
#include "preload/patch/patch.h"

#include <errno.h>
#include <string.h>

#include "preload/patch/code.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"

#define PAGE UINT64_C(4096)

static int protection(const ElfW(Phdr) * segment)
{
	return (segment->p_flags & PF_R ? PROT_READ : 0) |
	       (segment->p_flags & PF_W ? PROT_WRITE : 0) |
	       (segment->p_flags & PF_X ? PROT_EXEC : 0);
}

int patch_protect_code(const struct module *module, int writable)
{
	for (uint32_t i = 0; i < module->segment_count; i++) {
		const ElfW(Phdr) *segment = &module->segments[i];
		uint64_t start =
			(module->base + segment->p_vaddr) & ~(PAGE - 1);
		uint64_t end =
			module->base + segment->p_vaddr + segment->p_memsz;
		int err;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		err = sys_mprotect((void *)start, end - start,
				   writable ? PROT_READ | PROT_WRITE
					    : protection(segment));
		if (err)
			return err;
	}
	return 0;
}

static void write_text(const struct patch_text *text)
{
	copy_bytes((void *)text->pc, text->after, text->bytes);
}

/* Fast: the module's code is writable meanwhile, and nobody executes it. */
static int write_in_place(const struct patch *patch)
{
	int err = patch_protect_code(patch->module, 1);

	for (uint32_t i = 0; !err && i < patch->island_count; i++)
		write_text(&patch->islands[i]);
	for (uint32_t i = 0; !err && i < patch->site_count; i++)
		write_text(&patch->sites[i].text);
	if (patch_protect_code(patch->module, 0) && !err)
		err = -EACCES;
	return err;
}

static int write_by(struct code_writer *writer, const struct patch_text *text,
		    int after)
{
	return code_write(writer, text->pc, after ? text->after : text->before,
			  text->bytes);
}

static int write_all_by(struct code_writer *writer, const struct patch *patch,
			int after)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < patch->island_count; i++)
		err = write_by(writer, &patch->islands[i], after);
	for (uint32_t i = 0; !err && i < patch->site_count; i++)
		err = write_by(writer, &patch->sites[i].text, after);
	return err ? err : code_barrier(writer);
}

/* Where the code would not be executable again. */
static int write_by_kernel(const struct patch *patch)
{
	struct code_writer writer;
	int err = code_open(&writer);

	if (err)
		return err;
	err = write_all_by(&writer, patch, 1);
	if (err)
		write_all_by(&writer, patch, 0);
	code_close(&writer);
	return err;
}

int patch_commit(struct patch *patch)
{
	uint64_t signals;
	int err;

	sys_block_signals(&signals);
	err = code_can_be_unprotected() ? write_in_place(patch)
					: write_by_kernel(patch);
	if (!err)
		patch->is_written = 1;
	sys_restore_signals(&signals);
	return err;
}

static int text_fits(const struct patch_text *text)
{
	return !memcmp((const void *)text->pc, text->before, text->bytes);
}

int patch_fits(const struct patch *patch)
{
	for (uint32_t i = 0; i < patch->island_count; i++)
		if (!text_fits(&patch->islands[i]))
			return 0;
	for (uint32_t i = 0; i < patch->site_count; i++)
		if (!text_fits(&patch->sites[i].text))
			return 0;
	return 1;
}

/* The first site that is not before pc, or the end. */
static const struct patch_site *find_from(const struct patch *patch,
					  uint64_t pc)
{
	uint32_t low = 0, high = patch->site_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (patch->sites[middle].text.pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return &patch->sites[low];
}

const struct patch_site *patch_find(const struct patch *patch, uint64_t pc)
{
	const struct patch_site *site = find_from(patch, pc);

	return site < patch->sites + patch->site_count && site->text.pc == pc
		       ? site
		       : NULL;
}

int patch_covers(const struct patch *patch, uint64_t pc)
{
	const struct patch_site *site = find_from(patch, pc);

	return site > patch->sites &&
	       pc - site[-1].text.pc < site[-1].text.bytes;
}

void patch_destroy(struct patch *patch)
{
	sys_munmap(patch->sites, patch->memory_bytes);
	*patch = (struct patch){ 0 };
}

static uint64_t page_end(uint64_t pc)
{
	return (pc + PAGE - 1) & ~(PAGE - 1);
}

/* Stubs that stand one behind the other: [start of a page, end of a stub). */
struct row {
	uint64_t start, end;
};

static void free_row(const struct row *row, struct windows *windows)
{
	if (row->end)
		window_free(windows, row->start,
			    page_end(row->end) - row->start);
}

/*
 * Stubs of a patch stand in one row in the order they were made, the guests'
 * last, but for a change of block, or where one turned out to be useless. No
 * others are in their pages.
 */
void patch_free_stubs(const struct patch *patch, struct windows *windows)
{
	struct row row = { 0 };

	for (uint32_t i = 0; i < 2 * patch->site_count; i++) {
		const struct patch_site *site =
			&patch->sites[i % patch->site_count];

		if (site->is_guest != i / patch->site_count)
			continue;
		if (site->stub < row.start || site->stub > page_end(row.end)) {
			free_row(&row, windows);
			row.start = site->stub & ~(PAGE - 1);
		}
		row.end = site->stub + patch->stub_bytes;
	}
	free_row(&row, windows);
}
