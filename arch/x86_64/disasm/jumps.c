/* SPDX-License-Identifier: MIT */
/* See jumps.h. */
#include "disasm/jumps.h"

#include <errno.h>
#include <string.h>

int jump_distance(uint64_t pc, uint64_t target, int32_t *rel)
{
	int64_t distance = (int64_t)(target - pc);

	if (distance != (int32_t)distance)
		return -ERANGE;
	*rel = (int32_t)distance;
	return 0;
}

static int encode(uint8_t out[JUMP_BYTES], uint8_t opcode, uint64_t pc,
		  uint64_t target)
{
	int32_t rel;
	int err = jump_distance(pc + JUMP_BYTES, target, &rel);

	if (err)
		return err;
	out[0] = opcode;
	memcpy(out + 1, &rel, sizeof(rel));
	return 0;
}

int jump_encode(uint8_t out[JUMP_BYTES], uint64_t pc, uint64_t target)
{
	return encode(out, 0xe9, pc, target);
}

int call_encode(uint8_t out[JUMP_BYTES], uint64_t pc, uint64_t target)
{
	return encode(out, 0xe8, pc, target);
}

void jump_encode_far(uint8_t out[JUMP_FAR_BYTES], uint64_t target)
{
	static const uint8_t jmp[] = { 0xff, 0x25, 0, 0, 0, 0 };

	memcpy(out, jmp, sizeof(jmp));
	memcpy(out + sizeof(jmp), &target, sizeof(target));
}

void jump_encode_saving(uint8_t out[JUMP_SAVING_BYTES], uint64_t target,
			uint64_t through)
{
	static const uint8_t push_mov[] = { 0x50, 0x48, 0xb8 };

	memcpy(out, push_mov, sizeof(push_mov));
	memcpy(out + sizeof(push_mov), &target, sizeof(target));
	jump_encode_far(out + sizeof(push_mov) + sizeof(target), through);
}

void jump_reach(const uint8_t *code, unsigned int bytes, uint64_t pc,
		uint64_t *first, uint64_t *last)
{
	const uint32_t choices = UINT32_C(1) << 8 * (bytes - 1);
	int32_t rel;

	memcpy(&rel, code + 1, sizeof(rel));
	rel = (int32_t)((uint32_t)rel & ~(choices - 1));
	*first = pc + JUMP_BYTES + (uint64_t)(int64_t)rel;
	*last = *first + choices - 1;
}
