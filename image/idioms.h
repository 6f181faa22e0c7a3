/* SPDX-License-Identifier: MIT */
/*
 * Byte patterns of compilers and linkers: the starts of functions, instructions
 * that take addresses, and PLTs. `left` is the number of available bytes.
 */
#ifndef CLEW_IMAGE_IDIOMS_H
#define CLEW_IMAGE_IDIOMS_H

#include <stdint.h>

#include "disasm/decode.h"

/* Returns whether the code is marked as a target of indirect calls. */
int idioms_is_target(const uint8_t *code, uint64_t left);

/* Returns whether the code begins like a function that uses the stack. */
int idioms_is_start(const uint8_t *code, uint64_t left);

/*
 * Returns whether a PLT without other evidence begins here: with the entry that
 * resolves symbols, or with two equal entries. One such jump alone is an
 * ordinary function that makes a tail call.
 */
int idioms_is_plt(const uint8_t *code, uint64_t left);

/*
 * Returns whether this is a thunk (retpoline) that jumps to the address in a
 * register: a call, followed by a loop that only a speculating CPU executes.
 */
int idioms_is_thunk(const uint8_t *code, uint64_t left);

/*
 * Returns whether the code at `vaddr` begins, after an optional endbr64, with a
 * jump through the word at *slot_vaddr, as entries of a PLT do.
 */
int idioms_jumps_through(const uint8_t *code, uint64_t left, uint64_t vaddr,
			 uint64_t *slot_vaddr);

/*
 * Returns whether an instruction of `length` bytes that ends at next_vaddr
 * calls or jumps through the word at *slot_vaddr.
 */
int idioms_goes_through(const uint8_t *code, unsigned int length,
			uint64_t next_vaddr, uint64_t *slot_vaddr);

/*
 * Returns whether an instruction of `length` bytes that ends at next_vaddr
 * accesses the word at *slot_vaddr: it ends with a displacement from rip.
 */
int idioms_accesses(const uint8_t *code, unsigned int length,
		    uint64_t next_vaddr, uint64_t *slot_vaddr);

/*
 * Return whether an instruction that ends at next_vaddr takes the address
 * *vaddr, or loads or jumps through a table of addresses at *vaddr.
 * is_at_fixed_place is 1 if the module is always loaded at its link-time
 * address.
 */
int idioms_takes_address(const uint8_t *code, const struct insn *insn,
			 uint64_t next_vaddr, int is_at_fixed_place,
			 uint64_t *vaddr);
int idioms_has_table(const uint8_t *code, const struct insn *insn,
		     uint64_t *vaddr);

#endif
