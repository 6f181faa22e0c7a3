/* SPDX-License-Identifier: MIT */
/*
 * See mappers.h. Nearly all syscall instructions follow a `mov $number, %eax`,
 * with only loads of other registers in between. In all other cases the number
 * is unknown, and may be any.
 */
#include "image/mappers.h"

#include <string.h>
#include <sys/syscall.h>

#define REX_W 0x48
#define REX_R 0x04
#define REX_B 0x01

static int may_map(const struct mapper_watch *watch)
{
	return !watch->is_known || watch->number == SYS_mmap ||
	       watch->number == SYS_mprotect || watch->number == SYS_mremap ||
	       watch->number == SYS_shmat || watch->number == SYS_pkey_mprotect;
}

static void load(struct mapper_watch *watch, const uint8_t *immediate)
{
	memcpy(&watch->number, immediate, sizeof(watch->number));
	watch->is_known = 1;
}

/*
 * Returns whether the instruction is a mov, lea or xor that does not write eax:
 * its destination is another register, or memory.
 */
static int spares_eax(uint8_t rex, const uint8_t *code)
{
	const uint8_t opcode = code[0], modrm = code[1];
	const int is_register = modrm >> 6 == 3;

	if (opcode >= 0xb8 && opcode <= 0xbf)
		return opcode != 0xb8 || rex & REX_B;
	switch (opcode) {
	case 0x8b: /* mov r/m, r */
	case 0x8d: /* lea */
	case 0x33: /* xor r/m, r */
		return modrm >> 3 & 7 || rex & REX_R;
	case 0x89: /* mov r, r/m */
	case 0x31: /* xor r, r/m */
	case 0xc7: /* mov immediate, r/m */
		return !is_register || modrm & 7 || rex & REX_B;
	default:
		return 0;
	}
}

void mapper_watch_insn(struct mapper_watch *watch, const uint8_t *code,
		       const struct insn *insn)
{
	const uint8_t rex = code[0] >> 4 == 4 ? code[0] : 0;
	const uint8_t *opcode = code + (rex != 0);

	static const uint8_t zero[4];

	if (insn->kind == INSN_SYSTEM && code[0] == 0x0f && code[1] == 0x05)
		watch->maps |= may_map(watch);
	else if (insn->kind == INSN_PLAIN && insn->length == 5 &&
		 code[0] == 0xb8)
		load(watch, code + 1);
	else if (insn->kind == INSN_PLAIN && insn->length == 7 &&
		 rex == REX_W && opcode[0] == 0xc7 && opcode[1] == 0xc0)
		load(watch, opcode + 2);
	else if (opcode[0] == 0x31 && opcode[1] == 0xc0 && insn->length == 2)
		load(watch, zero); /* xor %eax, %eax */
	else if (insn->kind != INSN_NOP &&
		 (insn->kind != INSN_PLAIN || insn->length < 2 ||
		  !spares_eax(rex, opcode)))
		watch->is_known = 0;
}

void mapper_watch_turn(struct mapper_watch *watch)
{
	watch->is_known = 0;
}
