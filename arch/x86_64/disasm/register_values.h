/* SPDX-License-Identifier: MIT */
/*
 * Known values of registers along a path through code, as far as needed to find
 * the targets of a switch's indirect jump:
 *
 *	cmp	$5, %edi		compares
 *	ja	other			not taken: edi is 5 or less
 *	mov	%edi, %edi		now the whole register
 *	lea	table(%rip), %rdx	an address
 *	movslq	(%rdx,%rdi,4), %rax	one of six distances
 *	add	%rdx, %rax		one of six targets
 *	jmp	*%rax
 *
 * In modules at a fixed address the code is jmp *table(,%rdi,8). An instruction
 * that values_step() does not recognize is assumed to change all registers.
 */
#ifndef CLEW_DISASM_REGISTER_VALUES_H
#define CLEW_DISASM_REGISTER_VALUES_H

#include <stdint.h>

#include "disasm/decode.h"

#define VALUES_REGISTERS 16

enum knowledge {
	VALUE_UNKNOWN,
	VALUE_NUMBER,  /* the lowest `bits`, unsigned, are at most `most` */
	VALUE_ADDRESS, /* the value equals vaddr */
	/* Entry 0 to `most` of a table of int32_t at vaddr. */
	VALUE_DISTANCE,
	VALUE_TARGET, /* an entry of VALUE_DISTANCE, plus vaddr */
	/* Entry 0 to `most` of a table of addresses at vaddr. */
	VALUE_WORD,
};

struct value {
	uint64_t vaddr;
	uint32_t most;
	uint8_t kind; /* enum knowledge */
	uint8_t bits; /* 8, 16, 32 or 64 */
};

/* All zeros: no register is known. */
struct values {
	struct value registers[VALUES_REGISTERS];
	/*
	 * The flags are the result of comparing this register with this number.
	 */
	uint32_t compared_with;
	uint8_t compared;
	uint8_t compared_bits; /* 0 if the flags are unknown */
};

/* Updates the values for the instruction `insn` at `code`, which is no jump. */
void values_step(struct values *values, const uint8_t *code,
		 const struct insn *insn, uint64_t next_vaddr);

/* Updates the values for a jump of kind INSN_JUMP_IF, taken or not. */
void values_pass_jump(struct values *values, const uint8_t *code,
		      const struct insn *insn, int is_taken);

/*
 * Returns the target of a jump of kind INSN_JUMP_INDIRECT. The target is known
 * only if the result is a VALUE_TARGET or a VALUE_WORD.
 */
struct value values_jump(const struct values *values, const uint8_t *code,
			 const struct insn *insn);

/*
 * Reduces *values to what is known in both. Returns whether *values has
 * changed.
 */
int values_merge(struct values *values, const struct values *others);

#endif
