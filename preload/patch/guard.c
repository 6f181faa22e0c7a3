/* SPDX-License-Identifier: MIT */
/*
 * See guard.h. Stubs are executable and not writable, so they are changed in
 * the same way as other code that threads execute (code.h). If /proc is not
 * available, as after chroot(), their pages become writable and executable for
 * a moment: a module that needs guards has just created such memory itself.
 */
#include "preload/patch/guard.h"

#include "preload/hot/layout.h"
#include "preload/patch/code.h"
#include "preload/stubs/stub_write.h"

static int is_stub(const struct patch_site *site)
{
	return verdict_class(site->verdict) == VERDICT_HOOKED;
}

static int write_stub(struct code_writer *writer, uint64_t stub,
		      const struct stub_change *changes, unsigned int count)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < count; i++)
		err = code_write(writer, stub + changes[i].at, &changes[i].byte,
				 1);
	return err;
}

static int write_stubs(const struct patch *patch, enum code_use use)
{
	struct stub_change changes[STUB_CHANGES_MAX];
	const unsigned int count = stub_guard(STUB_IS_GUARDED, changes);
	struct code_writer writer;
	int err = code_open(&writer, use, NULL);

	if (err)
		return err;
	for (uint32_t i = 0; !err && i < patch->site_count; i++)
		if (is_stub(&patch->sites[i]))
			err = write_stub(&writer,
					 patch->base + patch->sites[i].stub,
					 changes, count);
	if (!err)
		err = code_barrier(&writer);
	code_close(&writer);
	return err;
}

int guard_patch(struct patch *patch)
{
	int err = write_stubs(patch, CODE_IS_LIVE);

	if (err)
		err = write_stubs(patch, CODE_IS_BOTH);
	if (!err)
		patch->is_guarded = 1;
	return err;
}
