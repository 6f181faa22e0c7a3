/* SPDX-License-Identifier: MIT */
/* See preload/patch/entry_branches.h. */
#include "preload/patch/entry_branches.h"

#include <string.h>

#include "preload/sys/slices.h"

#define ENTRY_BYTES    32
#define FUNCTION_BYTES 4096      /* how much of a function is decoded */
#define REST_BYTES     (1 << 18) /* how much is searched between rests */

static uint32_t bit_of(uint64_t pc, uint64_t target)
{
	return target > pc && target < pc + ENTRY_BYTES
		       ? UINT32_C(1) << (target - pc)
		       : 0;
}

static uint32_t of_function(const struct decoder *decoder,
			    const struct module *module, uint64_t pc)
{
	const uint64_t end = module->code.end - pc < FUNCTION_BYTES
				     ? module->code.end
				     : pc + FUNCTION_BYTES;
	uint32_t found = 0;
	struct insn insn;

	for (uint64_t at = pc; at < end; at += insn.length) {
		if (decode_scan(decoder, (const uint8_t *)at, end - at, &insn))
			break;
		if (insn.kind >= INSN_JUMP && insn.kind <= INSN_CALL)
			found |= bit_of(
				pc,
				at + insn.length +
					(uint64_t)(int64_t)insn.branch_bytes);
	}
	return found;
}

/* Returns the length of a jump with a 32-bit distance at this byte, or 0. */
static uint64_t far_length(const uint8_t *code)
{
	if (*code == 0xe9) /* jmp rel32 */
		return 5;
	/* jcc rel32 */
	return *code == 0x0f && (code[1] & 0xf0) == 0x80 ? 6 : 0;
}

/* Searches each byte, because code may contain data. */
static uint32_t of_range(const struct pc_range *code, uint64_t pc)
{
	uint32_t found = 0;

	for (uint64_t at = code->start; at + 6 <= code->end; at++) {
		const uint64_t length = far_length((const uint8_t *)at);
		int32_t distance;

		if (!length)
			continue;
		memcpy(&distance, (const uint8_t *)at + length - 4, 4);
		found |= bit_of(pc, at + length + (uint64_t)(int64_t)distance);
	}
	return found;
}

static uint32_t of_segment(const struct module *module,
			   const struct pc_range *code, uint64_t pc)
{
	uint32_t found = 0;

	for (uint64_t at = code->start; at < code->end; at += REST_BYTES) {
		struct pc_range part = { at, at + REST_BYTES + 5 };

		slices_rest();
		if (module->is_gone)
			return UINT32_MAX;
		if (part.end > code->end)
			part.end = code->end;
		found |= of_range(&part, pc);
	}
	return found;
}

uint32_t entry_branches(const struct decoder *decoder,
			const struct module *module, uint64_t pc)
{
	uint32_t found = of_function(decoder, module, pc);

	for (uint32_t i = 0; i < module->segment_count; i++) {
		const ElfW(Phdr) *segment = &module->segments[i];
		const uint64_t start = module->base + segment->p_vaddr;
		const struct pc_range code = { start,
					       start + segment->p_memsz };

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
			found |= of_segment(module, &code, pc);
		if (module->is_gone)
			return UINT32_MAX;
	}
	return found;
}
