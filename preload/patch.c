/* SPDX-License-Identifier: MIT */
#include "preload/patch.h"

#include <errno.h>

#include "disasm/relocate_x86_64.h"
#include "preload/sys.h"
#include "preload/text.h"

#define PAGE UINT64_C(4096)

/* A jump that is to be written. */
struct site {
	uint64_t pc;
	uint8_t jump[JMP_REL32_BYTES];
};

struct work {
	const struct stub_constants *constants;
	const struct decoder *decoder;
	const struct module *module;
	struct site *sites;
	uint32_t site_count;
	uint8_t *stubs; /* next free byte */
};

static enum verdict verdict_of(int err)
{
	switch (err) {
	case -ERANGE:
		return VERDICT_IS_NO_ROOM;
	case -EILSEQ:
		return VERDICT_IS_CHANGED;
	default:
		return VERDICT_IS_UNMOVABLE;
	}
}

static int make_stub(struct work *work, uint32_t number,
		     const struct wire_function *function)
{
	struct site *site = &work->sites[work->site_count];
	uint64_t pc =
		work->module->base + function->vaddr + function->patch_offset;
	int err = stub_write(work->constants, work->decoder, number, pc,
			     function->displaced_bytes, work->stubs);

	if (err)
		return err;
	err = encode_jmp_rel32(site->jump, pc, (uintptr_t)work->stubs);
	if (err)
		return err;
	site->pc = pc;
	work->site_count++;
	work->stubs += stub_bytes();
	return 0;
}

static void make_stubs(struct work *work, uint32_t first,
		       struct wire_function *functions, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		int err;

		if (verdict_class(functions[i].verdict) != VERDICT_HOOKED)
			continue;
		err = make_stub(work, first + i, &functions[i]);
		if (err)
			functions[i].verdict = verdict_of(err);
	}
}

static uint32_t count_hooked(const struct wire_function *functions,
			     uint32_t count)
{
	uint32_t hooked = 0;

	for (uint32_t i = 0; i < count; i++)
		hooked += verdict_class(functions[i].verdict) == VERDICT_HOOKED;
	return hooked;
}

static void refuse_all(struct wire_function *functions, uint32_t count,
		       enum verdict verdict)
{
	for (uint32_t i = 0; i < count; i++)
		if (verdict_class(functions[i].verdict) == VERDICT_HOOKED)
			functions[i].verdict = (uint8_t)verdict;
}

static int protection(const ElfW(Phdr) * segment)
{
	return (segment->p_flags & PF_R ? PROT_READ : 0) |
	       (segment->p_flags & PF_W ? PROT_WRITE : 0) |
	       (segment->p_flags & PF_X ? PROT_EXEC : 0);
}

/* Writable instead of executable, or back to what it was. */
static int protect_code(const struct module *module, int writable)
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

static int write_sites(const struct work *work)
{
	uint64_t signals;
	int err;

	sys_block_signals(&signals);
	err = protect_code(work->module, 1);
	for (uint32_t i = 0; !err && i < work->site_count; i++)
		copy_bytes((void *)work->sites[i].pc, work->sites[i].jump,
			   JMP_REL32_BYTES);
	if (protect_code(work->module, 0) && !err)
		err = -EACCES;
	sys_restore_signals(&signals);
	return err;
}

/* One batch: as many functions as a window block has room for. */
static int patch_batch(struct windows *windows, struct work *work,
		       uint32_t first, struct wire_function *functions,
		       uint32_t count)
{
	uint64_t bytes =
		(count_hooked(functions, count) * stub_bytes() + PAGE - 1) &
		~(PAGE - 1);
	struct window_block *block;
	uint8_t *start;
	uint64_t used;
	int err;

	if (!bytes)
		return 0;
	err = window_open(windows, &work->module->code, bytes, &block, &start);
	if (err) {
		refuse_all(functions, count, VERDICT_IS_NO_ROOM);
		return err;
	}
	work->stubs = start;
	make_stubs(work, first, functions, count);
	used = (uint64_t)(work->stubs - start);
	err = window_close(block, bytes, used);
	if (err)
		refuse_all(functions, count, VERDICT_IS_NO_ROOM);
	return err;
}

int patch_module(struct windows *windows,
		 const struct stub_constants *constants,
		 const struct decoder *decoder, const struct module *module,
		 uint32_t first_function, struct wire_function *functions,
		 uint32_t count)
{
	const uint32_t step = (uint32_t)(WINDOW_BLOCK_BYTES / 2 / stub_bytes());
	struct work work = { .constants = constants,
			     .decoder = decoder,
			     .module = module };
	uint64_t site_bytes = ((uint64_t)count_hooked(functions, count) + 1) *
			      sizeof(*work.sites);
	int err;

	work.sites = sys_map_private(site_bytes);
	if (sys_failed(work.sites))
		return -ENOMEM;
	for (uint32_t at = 0; at < count; at += step)
		patch_batch(windows, &work, first_function + at, functions + at,
			    count - at < step ? count - at : step);
	err = write_sites(&work);
	if (err)
		refuse_all(functions, count, VERDICT_IS_UNPATCHABLE);
	sys_munmap(work.sites, site_bytes);
	return err;
}
