/* SPDX-License-Identifier: MIT */
#include "preload/patch.h"

#include <errno.h>
#include <string.h>

#include "disasm/relocate_x86_64.h"
#include "preload/sys.h"
#include "preload/text.h"

#define PAGE              UINT64_C(4096)
#define INT3              0xcc
#define SHORT_JUMP_BYTES  2
#define PATCH_JUMP_OPCODE 0xe9
#define SHORT_JUMP_OPCODE 0xeb

_Static_assert(PATCH_BYTES_MAX == JMP_REL32_BYTES, "the longest text");

static enum verdict verdict_of(int err)
{
	switch (err) {
	case -ERANGE:
	case -ENOMEM:
		return VERDICT_IS_NO_ROOM;
	case -EILSEQ:
		return VERDICT_IS_CHANGED;
	case -EPERM:
		return VERDICT_IS_NO_TRAP;
	default:
		return VERDICT_IS_UNMOVABLE;
	}
}

/* ---- What is written ---- */

static void read_before(struct patch_text *text)
{
	copy_bytes(text->before, (const void *)text->pc, text->bytes);
}

static int aim_jump(struct patch_text *text, uint64_t target)
{
	text->bytes = JMP_REL32_BYTES;
	read_before(text);
	return encode_jmp_rel32(text->after, text->pc, target);
}

/* The island's 5-byte jump, and the 2-byte one that leads there. */
static int aim_short_jump(struct patch *patch, struct patch_site *site,
			  int8_t displacement)
{
	struct patch_text *island = &patch->islands[patch->island_count];
	int err;

	island->pc = site->text.pc + SHORT_JUMP_BYTES +
		     (uint64_t)(int64_t)displacement;
	err = aim_jump(island, site->stub);
	if (err)
		return err;
	patch->island_count++;
	site->text.bytes = SHORT_JUMP_BYTES;
	read_before(&site->text);
	site->text.after[0] = SHORT_JUMP_OPCODE;
	site->text.after[1] = (uint8_t)displacement;
	return 0;
}

/* Targets of a jump whose last displacement bytes are what stands there. */
static int aim_punned_jump(struct patch_site *site, struct pads *pads)
{
	const unsigned int bytes = site->displaced_bytes;
	const uint64_t next_pc = site->text.pc + JMP_REL32_BYTES;
	uint64_t choice, pad_pc, low;
	int32_t rel;
	int err;

	if (bytes < 2 || bytes >= JMP_REL32_BYTES)
		return -EINVAL;
	copy_bytes(&rel, (const void *)(site->text.pc + 1), sizeof(rel));
	choice = (UINT64_C(1) << 8 * (bytes - 1)) - 1;
	low = next_pc + (uint64_t)((int64_t)rel & ~(int64_t)choice);
	err = pads_place(pads, low, low + choice, site->stub, &pad_pc);
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
	site->text.bytes = 1;
	read_before(&site->text);
	site->text.after[0] = INT3;
	return 0;
}

static int aim(struct patch *patch, struct patch_workshop *workshop,
	       struct patch_site *site, const struct wire_function *function)
{
	switch (function->verdict) {
	case VERDICT_IS_JUMP_SHORT:
		return aim_short_jump(patch, site, function->island);
	case VERDICT_IS_JUMP_PUNNED:
		if (!aim_punned_jump(site, workshop->pads))
			return 0;
		return aim_trap(site, workshop->has_traps);
	case VERDICT_IS_TRAP:
		return aim_trap(site, workshop->has_traps);
	default:
		return aim_jump(&site->text, site->stub);
	}
}

/* One function: a stub that turns out useless is left as it is. */
static int prepare_function(struct patch *patch,
			    struct patch_workshop *workshop, uint32_t number,
			    struct wire_function *function)
{
	struct patch_site *site = &patch->sites[patch->site_count];
	uint8_t *stub;
	int err = window_alloc(workshop->windows, &patch->module->code,
			       patch->stub_bytes, &stub);

	if (err)
		return err;
	*site = (struct patch_site){
		.text.pc = patch->module->base + function->vaddr +
			   function->patch_offset,
		.verdict = function->verdict,
		.displaced_bytes = function->displaced_bytes,
		.function = number,
		.stub = (uintptr_t)stub,
	};
	err = stub_write(&workshop->constants, &workshop->decoder, number,
			 site->text.pc, function->displaced_bytes, stub);
	if (!err)
		err = aim(patch, workshop, site, function);
	if (err)
		return err;
	function->verdict = site->verdict;
	patch->trap_count += site->verdict == VERDICT_IS_TRAP;
	patch->site_count++;
	return 0;
}

static void count_sites(const struct wire_function *functions, uint32_t count,
			uint32_t *sites, uint32_t *islands)
{
	*sites = *islands = 0;
	for (uint32_t i = 0; i < count; i++) {
		*sites += verdict_class(functions[i].verdict) == VERDICT_HOOKED;
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

	count_sites(functions, count, &sites, &islands);
	*patch = (struct patch){
		.module = module,
		.stub_bytes = stub_bytes(&workshop->constants),
		.memory_bytes = memory_bytes(sites, islands),
	};
	patch->sites = sys_map_private(patch->memory_bytes);
	if (sys_failed(patch->sites))
		return -ENOMEM;
	patch->islands = (struct patch_text *)&patch->sites[sites + 1];
	for (uint32_t i = 0; i < count; i++) {
		int err;

		if (verdict_class(functions[i].verdict) != VERDICT_HOOKED)
			continue;
		err = prepare_function(patch, workshop, first_function + i,
				       &functions[i]);
		if (err)
			functions[i].verdict = (uint8_t)verdict_of(err);
	}
	windows_turn_page(workshop->windows); /* see patch_free_stubs() */
	return 0;
}

/* ---- Writing it ---- */

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

static void write_text(const struct patch_text *text, int after)
{
	copy_bytes((void *)text->pc, after ? text->after : text->before,
		   text->bytes);
}

static int write_all(struct patch *patch, int after)
{
	uint64_t signals;
	int err;

	sys_block_signals(&signals);
	err = patch_protect_code(patch->module, 1);
	for (uint32_t i = 0; !err && i < patch->island_count; i++)
		write_text(&patch->islands[i], after);
	for (uint32_t i = 0; !err && i < patch->site_count; i++)
		write_text(&patch->sites[i].text, after);
	if (!err)
		patch->is_written = after;
	if (patch_protect_code(patch->module, 0) && !err)
		err = -EACCES;
	sys_restore_signals(&signals);
	return err;
}

int patch_commit(struct patch *patch)
{
	return write_all(patch, 1);
}

int patch_revert(struct patch *patch)
{
	return write_all(patch, 0);
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

/*
 * Stubs of a patch stand one behind the other, but for a change of block, or
 * where one turned out to be useless. No others are in their pages.
 */
void patch_free_stubs(const struct patch *patch, struct windows *windows)
{
	uint32_t i = 0;

	while (i < patch->site_count) {
		uint64_t start = patch->sites[i].stub & ~(PAGE - 1);
		uint64_t end = start;

		for (; i < patch->site_count; i++) {
			uint64_t stub = patch->sites[i].stub;

			if (stub < start || stub > page_end(end))
				break;
			end = stub + patch->stub_bytes;
		}
		window_free(windows, start, page_end(end) - start);
	}
}
