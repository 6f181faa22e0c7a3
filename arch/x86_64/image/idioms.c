/* SPDX-License-Identifier: MIT */
/*
 * See idioms.h. An entry of a PLT is a jump through a pointer:
 *
 *	f3 0f 1e fa		endbr64			optional
 *	f2			bnd			optional
 *	ff 25 disp32		jmp *disp(%rip)
 *
 * The first entry pushes a word before its jump:
 *
 *	ff 35 disp32		push disp(%rip)
 *	[f2] ff 25 disp32	jmp *disp(%rip)
 */
#include "image/idioms.h"

#include <stddef.h>
#include <string.h>

#include "disasm/addresses.h"

#define PLT_ENTRY_BYTES       16
#define PLT_SHORT_ENTRY_BYTES 8 /* .plt.got without endbr64 */

static int begins_with(const uint8_t *code, uint64_t left, const char *bytes,
		       size_t count)
{
	return left >= count && memcmp(code, bytes, count) == 0;
}

int idioms_is_target(const uint8_t *code, uint64_t left)
{
	return begins_with(code, left, "\xf3\x0f\x1e\xfa", 4); /* endbr64 */
}

int idioms_is_start(const uint8_t *code, uint64_t left)
{
	return begins_with(code, left, "\x53", 1) || /* push %rbx */
	       begins_with(code, left, "\x55", 1) || /* push %rbp */
	       (left >= 2 && code[0] == 0x41 &&      /* push %r12 to %r15 */
		code[1] >= 0x54 && code[1] <= 0x57) ||
	       begins_with(code, left, "\x48\x83\xec", 3) || /* sub $, %rsp */
	       begins_with(code, left, "\x48\x81\xec", 3) ||
	       idioms_is_target(code, left);
}

static int is_plt_entry(const uint8_t *code, uint64_t left, uint64_t at)
{
	if (at > left)
		return 0;
	code += at;
	left -= at;
	at = idioms_is_target(code, left) ? 4 : 0;
	at += begins_with(code + at, left - at, "\xf2", 1);
	return left - at >= 6 &&
	       begins_with(code + at, left - at, "\xff\x25", 2);
}

int idioms_is_plt(const uint8_t *code, uint64_t left)
{
	if (begins_with(code, left, "\xff\x35", 2) &&
	    is_plt_entry(code, left, 6))
		return 1;
	return is_plt_entry(code, left, 0) &&
	       (is_plt_entry(code, left, PLT_SHORT_ENTRY_BYTES) ||
		is_plt_entry(code, left, PLT_ENTRY_BYTES));
}

int idioms_is_thunk(const uint8_t *code, uint64_t left)
{
	static const char loop[] = "\xf3\x90"     /* pause */
				   "\x0f\xae\xe8" /* lfence */
				   "\xeb\xf9";    /* jmp back to pause */
	const unsigned int at = idioms_is_target(code, left) ? 4 : 0;

	return left >= at + 5 && code[at] == 0xe8 &&
	       begins_with(code + at + 5, left - at - 5, loop,
			   sizeof(loop) - 1);
}

int idioms_accesses(const uint8_t *code, unsigned int length,
		    uint64_t next_vaddr, uint64_t *slot_vaddr)
{
	int32_t distance;

	if (length < 6 || (code[length - 5] & 0xc7) != 0x05)
		return 0; /* not a ModRM of disp32(%rip) */
	memcpy(&distance, code + length - 4, sizeof(distance));
	*slot_vaddr = next_vaddr + (uint64_t)(int64_t)distance;
	return 1;
}

int idioms_goes_through(const uint8_t *code, unsigned int length,
			uint64_t next_vaddr, uint64_t *slot_vaddr)
{
	if (length < 6 || code[length - 6] != 0xff ||
	    (code[length - 5] != 0x25 && code[length - 5] != 0x15))
		return 0; /* neither jmp nor call *disp(%rip) */
	return idioms_accesses(code, length, next_vaddr, slot_vaddr);
}

int idioms_jumps_through(const uint8_t *code, uint64_t left, uint64_t vaddr,
			 uint64_t *slot_vaddr)
{
	unsigned int at = idioms_is_target(code, left) ? 4 : 0;

	at += begins_with(code + at, left - at, "\xf2", 1);
	if (left - at < 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return 0;
	return idioms_goes_through(code + at, 6, vaddr + at + 6, slot_vaddr);
}

/*
 * Recognizes lea disp(%rip), %r64 and, in modules at a fixed address, mov
 * $imm32, %r32.
 */
int idioms_takes_address(const uint8_t *code, const struct insn *insn,
			 uint64_t next_vaddr, int is_at_fixed_place,
			 uint64_t *vaddr)
{
	int32_t value;

	if (address_is_taken(code, insn, &value)) {
		*vaddr = next_vaddr + (uint64_t)(int64_t)value;
		return 1;
	}
	if (!is_at_fixed_place || insn->length < 5)
		return 0;
	*vaddr = (uint64_t)(int64_t)address_last_word(code, insn);
	return (insn->length == 5 && (code[0] & 0xf8) == 0xb8) ||
	       (insn->length == 6 && code[0] == 0x41 &&
		(code[1] & 0xf8) == 0xb8) ||
	       (insn->length == 7 && (code[0] & 0xfe) == 0x48 &&
		code[1] == 0xc7);
}

/*
 * Recognizes jmp *disp32(,%reg,8), mov disp32(,%reg,8), %reg, and similar
 * instructions.
 */
int idioms_has_table(const uint8_t *code, const struct insn *insn,
		     uint64_t *vaddr)
{
	const uint8_t *end = code + insn->length;

	if (insn->length < 7 || (end[-5] & 0xc7) != 0xc5 ||
	    (end[-6] & 0x07) != 0x04)
		return 0;
	*vaddr = (uint64_t)(int64_t)address_last_word(code, insn);
	return 1;
}
