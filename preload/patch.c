/* SPDX-License-Identifier: MIT */
#include "preload/patch.h"

#include <errno.h>

#include "disasm/relocate_x86_64.h"
#include "preload/sys.h"
#include "preload/text.h"

#define PAGE UINT64_C(4096)

struct patch_site {
	uint64_t pc;
	uint8_t jump[JMP_REL32_BYTES];
};

static enum verdict verdict_of(int err)
{
	switch (err) {
	case -ERANGE:
	case -ENOMEM:
		return VERDICT_IS_NO_ROOM;
	case -EILSEQ:
		return VERDICT_IS_CHANGED;
	default:
		return VERDICT_IS_UNMOVABLE;
	}
}

static int add_site(struct patch *patch, uint64_t pc, const uint8_t *stub)
{
	struct patch_site *site = &patch->sites[patch->site_count];
	int err = encode_jmp_rel32(site->jump, pc, (uintptr_t)stub);

	if (err)
		return err;
	site->pc = pc;
	patch->site_count++;
	return 0;
}

static uint32_t count_hooked(const struct wire_function *functions,
			     uint32_t count)
{
	uint32_t hooked = 0;

	for (uint32_t i = 0; i < count; i++)
		hooked += verdict_class(functions[i].verdict) == VERDICT_HOOKED;
	return hooked;
}

/* One function: a stub that turns out useless is left as it is. */
static int prepare_function(struct patch *patch, struct windows *windows,
			    const struct stub_constants *constants,
			    const struct decoder *decoder, uint32_t number,
			    const struct wire_function *function)
{
	uint64_t pc =
		patch->module->base + function->vaddr + function->patch_offset;
	uint8_t *stub;
	int err = window_alloc(windows, &patch->module->code, stub_bytes(),
			       &stub);

	if (err)
		return err;
	err = stub_write(constants, decoder, number, pc,
			 function->displaced_bytes, stub);
	return err ? err : add_site(patch, pc, stub);
}

int patch_prepare(struct patch *patch, struct windows *windows,
		  const struct stub_constants *constants,
		  const struct decoder *decoder, const struct module *module,
		  uint32_t first_function, struct wire_function *functions,
		  uint32_t count)
{
	*patch = (struct patch){
		.module = module,
		.site_room = count_hooked(functions, count) + 1,
	};
	patch->sites =
		sys_map_private(patch->site_room * sizeof(*patch->sites));
	if (sys_failed(patch->sites))
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		int err;

		if (verdict_class(functions[i].verdict) != VERDICT_HOOKED)
			continue;
		err = prepare_function(patch, windows, constants, decoder,
				       first_function + i, &functions[i]);
		if (err)
			functions[i].verdict = (uint8_t)verdict_of(err);
	}
	return 0;
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

int patch_commit(struct patch *patch)
{
	uint64_t signals;
	int err;

	sys_block_signals(&signals);
	err = protect_code(patch->module, 1);
	for (uint32_t i = 0; !err && i < patch->site_count; i++)
		copy_bytes((void *)patch->sites[i].pc, patch->sites[i].jump,
			   JMP_REL32_BYTES);
	if (protect_code(patch->module, 0) && !err)
		err = -EACCES;
	sys_restore_signals(&signals);
	patch_revert(patch);
	return err;
}

void patch_revert(struct patch *patch)
{
	sys_munmap(patch->sites, patch->site_room * sizeof(*patch->sites));
	patch->sites = NULL;
}
