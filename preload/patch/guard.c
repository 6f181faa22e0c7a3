/* SPDX-License-Identifier: MIT */
/*
 * Stubs are sealed: their memory is executable and not writable. So they are
 * written to as code is that others execute (code.h). Where /proc is not to be
 * had, in a chroot(), their pages are made writable besides: a module that is to
 * be guarded has just had such memory made itself.
 */
#include "preload/patch/guard.h"

#include "preload/hot/layout.h"
#include "preload/patch/code.h"
#include "preload/stubs/stub.h"
#include "preload/sys/sys.h"

struct guarding {
	struct stub_change changes[STUB_CHANGES_MAX];
	unsigned int count;
	struct code_writer writer;
};

static int is_stub(const struct patch_site *site)
{
	return verdict_class(site->verdict) == VERDICT_HOOKED;
}

static int write_stubs(struct guarding *guarding, const struct patch *patch)
{
	int err = 0;

	for (uint32_t i = 0; i < patch->site_count; i++) {
		const struct patch_site *site = &patch->sites[i];

		if (!is_stub(site))
			continue;
		for (unsigned int n = 0; !err && n < guarding->count; n++)
			err = code_write(&guarding->writer,
					 site->stub + guarding->changes[n].at,
					 &guarding->changes[n].byte, 1);
	}
	return err ? err : code_barrier(&guarding->writer);
}

static int protect(uint64_t start, uint64_t end, int protection)
{
	start &= ~(uint64_t)(CODE_PAGE_BYTES - 1);
	return sys_mprotect((void *)start, end - start, protection);
}

static int write_directly(const struct guarding *guarding,
			  const struct patch *patch)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < patch->site_count; i++) {
		const uint64_t stub = patch->sites[i].stub;
		const uint64_t end = stub + patch->stub_bytes;

		if (!is_stub(&patch->sites[i]))
			continue;
		err = protect(stub, end, PROT_READ | PROT_WRITE | PROT_EXEC);
		for (unsigned int n = 0; !err && n < guarding->count; n++)
			*(volatile uint8_t *)(stub + guarding->changes[n].at) =
				guarding->changes[n].byte;
		if (!err)
			err = protect(stub, end, PROT_READ | PROT_EXEC);
	}
	return err;
}

int guard_patch(struct patch *patch)
{
	struct guarding guarding;
	int err;

	guarding.count = stub_guard(STUB_IS_GUARDED, guarding.changes);
	err = code_open(&guarding.writer);
	if (!err) {
		err = write_stubs(&guarding, patch);
		code_close(&guarding.writer);
	}
	if (err)
		err = write_directly(&guarding, patch);
	if (!err)
		patch->is_guarded = 1;
	return err;
}
