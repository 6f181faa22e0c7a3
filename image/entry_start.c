/* SPDX-License-Identifier: MIT */
/* See entry_start.h. */
#include "image/entry_start.h"

#include "disasm/kept_register.h"

#define FOLLOWED_MAX 16 /* maximum number of instructions */

/*
 * Returns 0 if no instruction of the entry can go to a register. This test is
 * much faster than decoding, and nearly all functions fail it.
 */
static int may_go(const struct image *image, uint64_t vaddr)
{
	const uint64_t most = (uint64_t)FOLLOWED_MAX * INSN_MAX_BYTES;
	uint64_t left = 0;
	const uint8_t *code = image_at(image, vaddr, &left);

	return code && kept_may_be_gone_to(code, left < most ? left : most);
}

int entry_is_start(const struct image *image, const struct decoder *decoder,
		   uint64_t vaddr)
{
	uint32_t kept = KEPT_REGISTERS;
	struct insn insn;

	if (!may_go(image, vaddr))
		return 0;

	for (int i = 0; i < FOLLOWED_MAX; i++, vaddr += insn.length) {
		unsigned int number;
		uint64_t left = 0;
		const uint8_t *code = image_at(image, vaddr, &left);

		if (!code || decode_scan(decoder, code, left, &insn))
			return 0;
		if (insn.kind == INSN_NOP || insn.kind == INSN_ENDBR)
			continue;
		switch (kept_use_of(code, insn.length, &number)) {
		case KEPT_IS_GONE_TO:
			return kept >> number & 1;
		case KEPT_IS_PASSED:
			kept &= ~(UINT32_C(1) << number);
			break;
		case KEPT_IS_UNKNOWN:
			return 0;
		}
	}
	return 0;
}
