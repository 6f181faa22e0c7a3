/* SPDX-License-Identifier: MIT */
/* See preload/patch/relay.h. */
#include "preload/patch/relay.h"

#include <string.h>

#include "preload/hot/runtime.h"
#include "preload/lookup/patches.h"
#include "preload/patch/patch.h"
#include "preload/stubs/stub_write.h"

#define ENDBR_BYTES 4

/*
 * jmp *RELAY_TARGET(%r11): takes the place of a stub's displaced instructions.
 */
static const uint8_t leave[] = { 0x41, 0xff, 0x63, RELAY_TARGET };

static int write_all(const struct decoder *decoder, uint32_t first,
		     uint32_t count, uint8_t *at)
{
	const struct stub_constants constants = {
		.tls_offset = stub_tls_offset(),
		.counted = STUB_IS_OPEN,
	};
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++, at += stub_bytes()) {
		const struct stub_function function = {
			.number = first + i,
			.pc = (uintptr_t)leave,
			.displaced_bytes = sizeof(leave),
		};

		err = stub_write(&constants, decoder, &function, at,
				 (uintptr_t)at);
	}
	return err;
}

int relay_make(struct windows *windows, const struct module *module,
	       uint32_t first, uint32_t count, uint64_t *out)
{
	const struct window_user user = module_user(module);
	struct arena scratch = { 0 };
	struct decoder decoder;
	uint8_t *at;
	int err = decoder_open(&decoder, arena_memory, &scratch);

	if (err)
		return err;
	windows_turn_page(windows);
	err = window_alloc(windows, &user, count * stub_bytes(), &at);
	if (!err)
		err = write_all(&decoder, first, count, at);
	arena_fini(&scratch);
	if (!err)
		err = windows_seal(windows);
	if (err)
		return err;
	windows_note_loose(windows, (uintptr_t)at, count * stub_bytes());
	*out = (uintptr_t)at + stub_entry_at();
	return 0;
}

static int has_stub(const struct patch *patch, uint64_t pc)
{
	const struct patch_site *site = patch_find(patch, pc);

	return site && verdict_class(site->verdict) == VERDICT_HOOKED;
}

/* A function that begins with an endbr64 has its site behind it. */
int relay_is_needless(uint64_t pc)
{
	static const uint8_t endbr[ENDBR_BYTES] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const struct patch *patch =
		__atomic_load_n(&rt.patches->first, __ATOMIC_ACQUIRE);

	for (; patch; patch = patch->next)
		if (has_stub(patch, pc) ||
		    (has_stub(patch, pc + ENDBR_BYTES) &&
		     !memcmp((const void *)pc, endbr, ENDBR_BYTES)))
			return 1;
	return 0;
}
