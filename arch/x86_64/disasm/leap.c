/* SPDX-License-Identifier: MIT */
/* See leap.h. */
#include "disasm/leap.h"

#include <errno.h>
#include <string.h>

#include "disasm/jumps.h"
#include "disasm/relocate.h"

#define REX            0x40
#define REX_W          0x48 /* a REX prefix (0100WRXB) with W set */
#define REX_R          0x04
#define REX_X          0x02
#define REX_B          0x01
#define REX_ONLY_B     0x41

#define MOV_STORE      0x89
#define MOV_LOAD       0x8b
#define GROUP_5        0xff /* jmp and call, by ModRM.reg */
#define JMP_EXTENSION  4
#define NOTRACK        0x3e
#define PUSH           0x50
#define PUSH_BYTE      0x6a
#define NOP            0x90 /* left where a tracer's probe was */

#define RSP            4
#define RBP            5
#define RDI            7
#define SIB            4 /* in the field rm it means that a SIB byte follows */
#define NO_INDEX       4 /* as index, without REX.X: no index */
#define DISP32_ALONE   5 /* as rm or base, if mod is 0: disp32 only */

#define MOD(modrm)     ((modrm) >> 6)
#define REG(modrm)     ((modrm) >> 3 & 7)
#define RM(modrm)      ((modrm)&7)

#define MODRM_AT       2 /* offset of the ModRM byte, after REX and opcode */
#define MOVES_MAX      3 /* maximum of other moves before the jump */
#define MOVE_REG_BYTES 3
#define INSN_REACH     8 /* longest recognized instruction, in bytes */

/* Returns the length of the ModRM, SIB and displacement of a memory operand. */
static unsigned int place_bytes_of(const uint8_t *modrm)
{
	static const uint8_t disp_bytes[] = { 0, 1, 4 };
	const int has_sib = RM(modrm[0]) == SIB;
	const uint8_t base = has_sib ? RM(modrm[1]) : RM(modrm[0]);
	const unsigned int length = 1 + (unsigned int)has_sib;

	if (MOD(modrm[0]) == 0 && base == DISP32_ALONE)
		return length + 4;
	return length + disp_bytes[MOD(modrm[0])];
}

/* Returns the length of mov m64, r64, or 0; *target is the register. */
static unsigned int load_bytes_of(const uint8_t *code, int *target)
{
	if ((code[0] & 0xf8) != REX_W || code[1] != MOV_LOAD ||
	    MOD(code[MODRM_AT]) == 3)
		return 0;
	*target = REG(code[MODRM_AT]) | (code[0] & REX_R) << 1;
	return MODRM_AT + place_bytes_of(code + MODRM_AT);
}

static int is_from_stack(const uint8_t *code)
{
	return RM(code[MODRM_AT]) == SIB && RM(code[MODRM_AT + 1]) == RSP &&
	       !(code[0] & REX_B);
}

/* Returns the length of mov m64, %rsp with a base other than rsp, or 0. */
static unsigned int load_stack_bytes_of(const uint8_t *code)
{
	int target;
	const unsigned int bytes = load_bytes_of(code, &target);

	return bytes && target == RSP && !is_from_stack(code) ? bytes : 0;
}

/* Returns the destination register of mov r64, r64, or -1. */
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

/* Returns the source register of mov r64, r64. */
static int move_source(const uint8_t *code)
{
	return code[1] == MOV_STORE ? REG(code[2]) | (code[0] & REX_R) << 1
				    : RM(code[2]) | (code[0] & REX_B) << 3;
}

/*
 * Returns the length of an instruction that sets rsp, or 0. *is_move is 1 if
 * the source is a register, 0 if it is memory.
 */
static unsigned int source_bytes_of(const uint8_t *code, int *is_move)
{
	const unsigned int load_bytes = load_stack_bytes_of(code);

	*is_move = !load_bytes && move_target(code) == RSP;
	return *is_move ? MOVE_REG_BYTES : load_bytes;
}

/* Returns the length of a mov that sets a register other than rsp, or 0. */
static unsigned int move_bytes_of(const uint8_t *code, int *target)
{
	unsigned int bytes;

	*target = move_target(code);
	bytes = *target < 0 ? load_bytes_of(code, target) : MOVE_REG_BYTES;
	return *target == RSP ? 0 : bytes;
}

/*
 * Returns the length of the ModRM part of jmp *m64 without an index, which
 * would mean a table, or 0.
 */
static unsigned int jump_by_place_bytes_of(const uint8_t *modrm, uint8_t rex)
{
	if (MOD(modrm[0]) == 3 || REG(modrm[0]) != JMP_EXTENSION)
		return 0;
	if (RM(modrm[0]) == SIB && (REG(modrm[1]) != NO_INDEX || (rex & REX_X)))
		return 0;
	return 1 + place_bytes_of(modrm);
}

/* Returns the length of jmp *r64 or jmp *m64, or 0. */
static unsigned int jump_bytes_of(const uint8_t *code)
{
	unsigned int prefixes = 0, bytes;
	uint8_t rex = 0;

	if (code[prefixes] == NOTRACK)
		prefixes++;
	if ((code[prefixes] & 0xf0) == REX)
		rex = code[prefixes++];
	if (code[prefixes] != GROUP_5)
		return 0;
	if ((code[prefixes + 1] & 0xf8) == 0xe0)
		return prefixes + 2;
	bytes = jump_by_place_bytes_of(code + prefixes + 1, rex);
	return bytes ? prefixes + bytes : 0;
}

/*
 * If rsp is not loaded from memory, the code must also set rbp to be recognized
 * as a leap.
 */
unsigned int leap_read(const uint8_t *code, size_t bytes,
		       unsigned int *load_bytes)
{
	/* The zeros are no leap. */
	uint8_t copy[LEAP_MAX_BYTES + INSN_REACH] = { 0 };
	const size_t known = bytes < LEAP_MAX_BYTES ? bytes : LEAP_MAX_BYTES;
	unsigned int at, moved, jump_bytes;
	int is_move, is_frame, target;

	if (bytes <= MODRM_AT)
		return 0;
	memcpy(copy, code, known);
	at = source_bytes_of(copy, &is_move);
	if (!at)
		return 0;
	is_frame = !is_move;
	*load_bytes = at;
	for (int i = 0; i < MOVES_MAX && at < known; i++) {
		moved = move_bytes_of(copy + at, &target);
		if (!moved)
			break;
		is_frame |= target == RBP;
		at += moved;
	}
	if (at >= known)
		return 0;
	if (copy[at] == NOP)
		at++;
	jump_bytes = jump_bytes_of(copy + at);
	return is_frame && jump_bytes && at + jump_bytes <= known
		       ? at + jump_bytes
		       : 0;
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

/* Returns the register of a register jump, or -1. */
static int jump_register(const uint8_t *code)
{
	uint8_t rex = 0;

	code += *code == NOTRACK;
	if ((*code & 0xf0) == REX)
		rex = *code++;
	return MOD(code[1]) == 3 ? RM(code[1]) | (rex & REX_B) << 3 : -1;
}

/*
 * The target may have been moved between registers after rsp was set: follows
 * these moves backwards.
 */
unsigned int leap_write_push(const uint8_t *code, uint8_t *out)
{
	int is_move, target, moved, count = 0;
	const uint8_t *moves[MOVES_MAX];
	unsigned int written = 0, bytes;

	code += source_bytes_of(code, &is_move);
	for (; count < MOVES_MAX && (bytes = move_bytes_of(code, &moved));
	     code += bytes)
		moves[count++] = code;
	target = jump_register(code + (*code == NOP));
	while (target >= 0 && count-- > 0) {
		move_bytes_of(moves[count], &moved);
		if (moved == target)
			target = move_target(moves[count]) < 0
					 ? -1
					 : move_source(moves[count]);
	}
	if (target < 0) {
		out[written++] = PUSH_BYTE;
		out[written++] = 0;
		return written;
	}
	if (target & 8)
		out[written++] = REX_ONLY_B;
	out[written++] = (uint8_t)(PUSH | (target & 7));
	return written;
}
