/* SPDX-License-Identifier: MIT */
#include "preload/patch/divert.h"

#include <errno.h>

#include "disasm/jumps.h"
#include "disasm/prologue.h"
#include "disasm/relocate.h"
#include "preload/sys/copy_bytes.h"

/* What of the function is looked at: its first instructions. */
#define LOOKED_AT_BYTES 32

#define ORIGINAL_AT     16
#define PAD_BYTES       (ORIGINAL_AT + RELOCATE_MAX_BYTES)

static void *decoder_memory(void *context, size_t bytes)
{
	return arena_alloc(context, bytes);
}

/* The jump to `ours`, and behind it what the jump to the pad displaces. */
static int make_pad(struct divert *one, const struct decoder *decoder,
		    struct windows *windows, const struct prologue *prologue,
		    void *ours)
{
	const struct window_user user = module_user(one->patch.module);
	const uint64_t pc = one->site.text.pc;
	uint8_t *pad;
	int err = window_alloc(windows, &user, PAD_BYTES, &pad);

	if (err)
		return err;
	jump_encode_far(pad, (uintptr_t)ours);
	one->original = pad + ORIGINAL_AT;
	err = relocate(decoder, (const void *)pc, prologue->displaced_bytes, pc,
		       one->original, RELOCATE_MAX_BYTES,
		       (uintptr_t)one->original);
	if (err < 0)
		return err;
	one->site.text.bytes = JUMP_BYTES;
	copy_bytes(one->site.text.before, (const void *)pc, JUMP_BYTES);
	return jump_encode(one->site.text.after, pc, (uintptr_t)pad);
}

int divert(struct divert *one, struct module *module, struct windows *windows,
	   uint64_t pc, void *ours)
{
	const struct prologue_query query = { .code = (const void *)pc,
					      .size_bytes = LOOKED_AT_BYTES };
	struct arena scratch = { 0 };
	struct prologue prologue;
	struct decoder decoder;
	int err = decoder_open(&decoder, decoder_memory, &scratch);

	if (err)
		return err;
	prologue = prologue_judge(&decoder, &query);
	*one = (struct divert){ .patch = { .module = module,
					   .sites = &one->site,
					   .site_count = 1 } };
	one->pc = pc;
	one->site.text.pc = pc + prologue.patch_offset;
	err = prologue.verdict == VERDICT_IS_JUMP
		      ? make_pad(one, &decoder, windows, &prologue, ours)
		      : -EBUSY;
	arena_fini(&scratch);
	if (!err)
		err = windows_seal(windows);
	return err ? err : patch_commit(&one->patch);
}
