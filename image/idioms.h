/* SPDX-License-Identifier: MIT */
/*
 * What compilers and linkers write, byte by byte: how functions begin, how code
 * takes addresses, and what a PLT looks like. `left` bytes of code are there.
 */
#ifndef CLEW_IMAGE_IDIOMS_H
#define CLEW_IMAGE_IDIOMS_H

#include <stdint.h>

#include "disasm/decode.h"

/* Whether this marks a place to which an indirect call may lead. */
int idioms_is_target(const uint8_t *code, uint64_t left);

/* Whether functions begin so that need any stack. */
int idioms_is_start(const uint8_t *code, uint64_t left);

/*
 * Whether a PLT of which nothing else tells begins so: with the entry that resolves
 * symbols, or with two equal ones. One such jump alone is an ordinary function
 * that tail-calls.
 */
int idioms_is_plt(const uint8_t *code, uint64_t left);

/*
 * Whether this is a thunk (retpoline) that jumps to the address in a register: a
 * call, and behind it a loop that only a speculating CPU executes.
 */
int idioms_is_thunk(const uint8_t *code, uint64_t left);

/*
 * Whether code at `vaddr` begins, behind an endbr64, with a jump through the word
 * at *slot_vaddr, as entries of a PLT do.
 */
int idioms_jumps_through(const uint8_t *code, uint64_t left, uint64_t vaddr,
			 uint64_t *slot_vaddr);

/*
 * Whether an instruction of `length` bytes, behind which next_vaddr is, calls or
 * jumps through the word at *slot_vaddr.
 */
int idioms_goes_through(const uint8_t *code, unsigned int length,
			uint64_t next_vaddr, uint64_t *slot_vaddr);

/*
 * Whether an instruction of `length` bytes, behind which next_vaddr is, accesses
 * the word at *slot_vaddr: it ends with a displacement from rip.
 */
int idioms_accesses(const uint8_t *code, unsigned int length,
		    uint64_t next_vaddr, uint64_t *slot_vaddr);

/*
 * Whether an instruction, behind which next_vaddr is, takes the address *vaddr; or
 * loads or jumps by a table of addresses, at *vaddr. is_at_fixed_place: of a
 * module that is always where it was linked to be.
 */
int idioms_takes_address(const uint8_t *code, const struct insn *insn,
			 uint64_t next_vaddr, int is_at_fixed_place,
			 uint64_t *vaddr);
int idioms_has_table(const uint8_t *code, const struct insn *insn,
		     uint64_t *vaddr);

#endif
