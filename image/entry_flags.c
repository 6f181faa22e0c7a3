/* SPDX-License-Identifier: MIT */
/* See entry_flags.h. */
#include "image/entry_flags.h"

/*
 * maximum number of instructions that are followed; compilers write flags long
 * before
 */
#define FOLLOWED_MAX 64

int entry_takes_flags(const struct image *image, const struct decoder *decoder,
		      uint64_t vaddr)
{
	struct insn insn;

	for (int i = 0; i < FOLLOWED_MAX; i++) {
		uint64_t left = 0;
		const uint8_t *code = image_at(image, vaddr, &left);

		if (!code || decode_scan(decoder, code, left, &insn))
			return 0;
		switch (decode_flags(decoder, code, left)) {
		case FLAGS_ARE_READ:
			return 1;
		case FLAGS_ARE_WRITTEN:
			return 0;
		case FLAGS_ARE_KEPT:
			break;
		}
		vaddr += insn.length;
		if (insn.kind == INSN_JUMP)
			vaddr += (uint64_t)(int64_t)insn.branch_bytes;
		else if (insn_ends_flow(&insn) || insn.kind == INSN_CALL ||
			 insn.kind == INSN_CALL_INDIRECT)
			return 0;
	}
	return 0;
}
