/* SPDX-License-Identifier: MIT */
#include "disasm/leap.h"

#include <errno.h>
#include <string.h>

#include "disasm/jumps.h"
#include "disasm/relocate.h"

#define REX_W          0x48 /* 0100WRXB */
#define REX_R          0x04
#define REX_B          0x01
#define REX_ONLY_B     0x41

#define MOV_STORE      0x89
#define MOV_LOAD       0x8b
#define NOTRACK        0x3e
#define PUSH           0x50
#define NOP            0x90 /* for a tracer's probe */

#define RSP            4
#define RBP            5
#define RDI            7
#define SIB            4 /* in place of rm */
#define DISP32_ALONE   5 /* as rm or base, where mod is 0 */

#define MOD(modrm)     ((modrm) >> 6)
#define REG(modrm)     ((modrm) >> 3 & 7)
#define RM(modrm)      ((modrm)&7)

#define MODRM_AT       2 /* behind REX and opcode */
#define MOVES_MAX      3 /* between registers, before it jumps */
#define MOVE_REG_BYTES 3

static int may_be_load(const uint8_t *code)
{
	return (code[0] & 0xfc) == REX_W && code[1] == MOV_LOAD &&
	       MOD(code[MODRM_AT]) != 3 && REG(code[MODRM_AT]) == RSP;
}

/* mov m64, %rsp, not counted from rsp itself: its bytes, or 0. */
static unsigned int load_bytes_of(const uint8_t *code)
{
	static const uint8_t disp_bytes[] = { 0, 1, 4 };
	unsigned int length = MODRM_AT + 1;
	uint8_t base;

	if (!may_be_load(code))
		return 0;
	base = RM(code[MODRM_AT]);
	if (base == SIB) {
		base = RM(code[MODRM_AT + 1]);
		length++;
		if (base == RSP && !(code[0] & REX_B))
			return 0;
	}
	if (MOD(code[MODRM_AT]) == 0 && base == DISP32_ALONE)
		return length + 4;
	return length + disp_bytes[MOD(code[MODRM_AT])];
}

/* mov r64, r64: the register that is written, or -1. */
static int move_target(const uint8_t *code)
{
	if ((code[0] & 0xfa) != REX_W || MOD(code[MODRM_AT]) != 3)
		return -1;
	if (code[1] == MOV_STORE)
		return RM(code[2]) | (code[0] & REX_B) << 3;
	if (code[1] == MOV_LOAD)
		return REG(code[2]) | (code[0] & REX_R) << 1;
	return -1;
}

/* The register that it is read from. */
static int move_source(const uint8_t *code)
{
	return code[1] == MOV_STORE ? REG(code[2]) | (code[0] & REX_R) << 1
				    : RM(code[2]) | (code[0] & REX_B) << 3;
}

/* What sets rsp, from memory or, then *is_move is 1, a register: bytes, or 0. */
static unsigned int source_bytes_of(const uint8_t *code, int *is_move)
{
	const unsigned int load_bytes = load_bytes_of(code);

	*is_move = !load_bytes && move_target(code) == RSP;
	return *is_move ? MOVE_REG_BYTES : load_bytes;
}

/* jmp *r64: its bytes, or 0. */
static unsigned int jump_bytes_of(const uint8_t *code)
{
	unsigned int prefixes = 0;

	if (code[prefixes] == NOTRACK)
		prefixes++;
	if (code[prefixes] == REX_ONLY_B)
		prefixes++;
	return code[prefixes] == 0xff && (code[prefixes + 1] & 0xf8) == 0xe0
		       ? prefixes + 2
		       : 0;
}

/* Where no memory is read, rbp has to tell that the jump is to a frame. */
unsigned int leap_read(const uint8_t *code, size_t bytes,
		       unsigned int *load_bytes)
{
	uint8_t copy[LEAP_MAX_BYTES] = { 0 }; /* nothing that leaps */
	int is_move, is_frame, target;
	unsigned int at, jump_bytes;

	if (bytes <= MODRM_AT ||
	    (!may_be_load(code) && move_target(code) != RSP))
		return 0;
	memcpy(copy, code, bytes < sizeof(copy) ? bytes : sizeof(copy));
	at = source_bytes_of(copy, &is_move);
	if (!at)
		return 0;
	is_frame = !is_move;
	*load_bytes = at;
	for (int i = 0; i < MOVES_MAX; i++) {
		target = move_target(copy + at);
		if (target < 0 || target == RSP)
			break;
		is_frame |= target == RBP;
		at += MOVE_REG_BYTES;
	}
	if (copy[at] == NOP)
		at++;
	jump_bytes = jump_bytes_of(copy + at);
	return is_frame && jump_bytes ? at + jump_bytes : 0;
}

int leap_write_target(const struct decoder *decoder, const uint8_t *code,
		      uint64_t pc, uint8_t *out, size_t out_size,
		      uint64_t out_pc)
{
	uint8_t load[INSN_MAX_BYTES];
	int written, is_move, is_store;
	const unsigned int load_bytes = source_bytes_of(code, &is_move);

	if (!load_bytes)
		return -EINVAL;
	is_store = is_move && code[1] == MOV_STORE;
	memcpy(load, code, load_bytes);
	load[MODRM_AT] ^= is_store ? RSP ^ RDI : (RSP ^ RDI) << 3;
	written =
		relocate(decoder, load, load_bytes, pc, out, out_size, out_pc);
	return written < 0 ? written : written - JUMP_BYTES;
}

/* The moves behind the first one are gone back through. */
unsigned int leap_write_push(const uint8_t *code, uint8_t *out)
{
	int is_move, target, count = 0;
	const uint8_t *moves[MOVES_MAX];
	unsigned int written = 0;

	code += source_bytes_of(code, &is_move);
	for (; count < MOVES_MAX && move_target(code) >= 0;
	     code += MOVE_REG_BYTES)
		moves[count++] = code;
	code += *code == NOP;
	code += *code == NOTRACK;
	target = *code == REX_ONLY_B ? 8 : 0;
	target |= RM(code[target ? 2 : 1]);
	while (count-- > 0)
		if (move_target(moves[count]) == target)
			target = move_source(moves[count]);
	if (target & 8)
		out[written++] = REX_ONLY_B;
	out[written++] = (uint8_t)(PUSH | (target & 7));
	return written;
}
