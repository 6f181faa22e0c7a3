/* SPDX-License-Identifier: MIT */
/* See divert.h. */
#include "preload/patch/divert.h"

#include <errno.h>

#include "disasm/decode.h"
#include "disasm/jumps.h"
#include "disasm/prologue.h"
#include "disasm/relocate.h"
#include "preload/patch/entry_branches.h"
#include "preload/patch/journal.h"
#include "preload/patch/patch.h"
#include "preload/sys/copy_bytes.h"

/* How many bytes of the function are decoded. */
#define INSPECTED_BYTES 32

#define ORIGINAL_AT     32
#define PAD_BYTES       (ORIGINAL_AT + RELOCATE_MAX_BYTES)

/* what is known of the replaced function */
enum divert_kind {
	DIVERT_KNOWN, /* no branch leads to its first instructions */
	DIVERT_ANY,
	DIVERT_SAVING, /* callers may depend on its registers, too */
};

void divert_saving_call(void); /* saving_call.S */

/*
 * Writes the pad: a jump to `ours`, followed by the instructions that the jump
 * to the pad displaces.
 */
static int make_pad(struct divert *one, const struct decoder *decoder,
		    struct windows *windows, const struct prologue *prologue,
		    void *ours, enum divert_kind kind)
{
	const struct window_user user = module_user(one->patch.module);
	const uint64_t pc = one->site.text.pc;
	uint8_t *pad;
	int err = window_alloc(windows, &user, PAD_BYTES, &pad);

	if (err)
		return err;
	if (kind == DIVERT_SAVING)
		jump_encode_saving(pad, (uintptr_t)ours,
				   (uintptr_t)divert_saving_call);
	else
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

/*
 * Decides whether the function's first instructions can be displaced. If the
 * function is only a return, the padding behind it is overwritten as well. No
 * other jump uses that padding, because the analysis reserves it for the
 * function.
 */
static struct prologue judge(const struct decoder *decoder,
			     const struct module *module, uint64_t pc,
			     uint32_t targets)
{
	const uint8_t *code = (const void *)pc;
	const size_t left = module->code.end - pc;
	const size_t bytes = left < INSPECTED_BYTES ? left : INSPECTED_BYTES;
	struct prologue_query query = { .code = code,
					.size_bytes = bytes,
					.targets = targets };
	struct insn insn;
	size_t at = 0;

	if (!decode_scan(decoder, code, bytes, &insn) &&
	    insn.kind == INSN_ENDBR)
		at = insn.length;
	if (!decode_scan(decoder, code + at, bytes - at, &insn) &&
	    insn.kind == INSN_RETURN) {
		query.size_bytes = at + insn.length;
		query.padding_bytes = bytes - query.size_bytes;
	}
	return prologue_judge(decoder, &query);
}

void divert_refuse_hook(const struct divert *one, const struct module *module,
			struct wire_function *functions, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (module->base + functions[i].vaddr == one->pc &&
		    verdict_class(functions[i].verdict) == VERDICT_HOOKED)
			functions[i].verdict = VERDICT_IS_DIVERTED;
}

static int stand(struct divert *one, struct module *module,
		 struct windows *windows, uint64_t pc, void *ours,
		 enum divert_kind kind)
{
	struct arena scratch = { 0 };
	struct prologue prologue;
	struct decoder decoder;
	int err = decoder_open(&decoder, arena_memory, &scratch);

	if (err)
		return err;
	prologue = judge(&decoder, module, pc,
			 kind == DIVERT_KNOWN
				 ? 0
				 : entry_branches(&decoder, module, pc));
	*one = (struct divert){ .patch = { .module = module,
					   .sites = &one->site,
					   .site_count = 1 } };
	one->pc = pc;
	one->site.text.pc = pc + prologue.patch_offset;
	err = prologue.verdict == VERDICT_IS_JUMP ||
			      prologue.verdict == VERDICT_IS_JUMP_PADDED
		      ? make_pad(one, &decoder, windows, &prologue, ours, kind)
		      : -EBUSY;
	arena_fini(&scratch);
	/*
	 * While the journal defers changes, the caller seals all new code
	 * together.
	 */
	if (!err && !journal_is_deferring())
		err = windows_seal(windows);
	return err ? err : patch_commit(&one->patch);
}

int divert(struct divert *one, struct module *module, struct windows *windows,
	   uint64_t pc, void *ours)
{
	return stand(one, module, windows, pc, ours, DIVERT_KNOWN);
}

int divert_any(struct divert *one, struct module *module,
	       struct windows *windows, uint64_t pc, void *ours, int is_saving)
{
	return stand(one, module, windows, pc, ours,
		     is_saving ? DIVERT_SAVING : DIVERT_ANY);
}
