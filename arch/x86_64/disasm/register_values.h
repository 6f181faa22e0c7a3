/* SPDX-License-Identifier: MIT */
/*
 * What is known of the numbers in registers along a way through code: as much as
 * tells where the indirect jump of a switch leads.
 *
 *	cmp $5, %edi			compares
 *	ja other			who does not jump has 5 or less
 *	mov %edi, %edi			... in all of the register
 *	lea table(%rip), %rdx		an address
 *	movslq (%rdx,%rdi,4), %rax	one of six distances
 *	add %rdx, %rax			one of six targets
 *	jmp *%rax
 *
 * or, in modules at a fixed place, jmp *table(,%rdi,8). What is on no list is taken to
 * change all registers.
 */
#ifndef CLEW_DISASM_REGISTER_VALUES_H
#define CLEW_DISASM_REGISTER_VALUES_H

#include <stdint.h>

#include "disasm/decode.h"

#define VALUES_REGISTERS 16

enum knowledge {
	VALUE_UNKNOWN,
	VALUE_NUMBER,  /* the lowest `bits`, unsigned, are `most` or less */
	VALUE_ADDRESS, /* vaddr */
	VALUE_DISTANCE, /* an entry, 0 to `most`, of a table of int32_t at vaddr */
	VALUE_TARGET, /* the same, and vaddr was added */
	VALUE_WORD, /* an entry, 0 to `most`, of a table of addresses at vaddr */
};

struct value {
	uint64_t vaddr;
	uint32_t most;
	uint8_t kind; /* enum knowledge */
	uint8_t bits; /* 8, 16, 32 or 64 */
};

/* All zeros: nothing is known. */
struct values {
	struct value registers[VALUES_REGISTERS];
	/* The flags are of a comparison of that register with that number. */
	uint32_t compared_with;
	uint8_t compared;
	uint8_t compared_bits; /* 0: they are not */
};

/* Behind the instruction `insn` at `code`, which is no jump. */
void values_step(struct values *values, const uint8_t *code,
		 const struct insn *insn, uint64_t next_vaddr);

/* What is known where a jump of kind INSN_JUMP_IF leads to, or is passed. */
void values_pass_jump(struct values *values, const uint8_t *code,
		      const struct insn *insn, int is_taken);

/*
 * The value that a jump of kind INSN_JUMP_INDIRECT jumps to. Unless it is a target or
 * a word, nobody knows where that is.
 */
struct value values_jump(const struct values *values, const uint8_t *code,
			 const struct insn *insn);

/* Keep what both know. Whether *values knew more. */
int values_merge(struct values *values, const struct values *others);

#endif
