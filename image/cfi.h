/* SPDX-License-Identifier: MIT */
/*
 * Interprets the unwind program of a function: the stack at its first byte, and
 * the location of its return address later.
 *
 * At a function's entry, the canonical frame address (CFA) and the return
 * address are where a call leaves them (frame_columns.h). If they are
 * elsewhere, no call leads to the code: most likely it is a cold part, which is
 * entered in the middle of its function.
 */
#ifndef CLEW_IMAGE_CFI_H
#define CLEW_IMAGE_CFI_H

#include <stdint.h>

#include "image/bytes.h"

enum cfi_entry {
	CFI_CALLED, /* the state after a call instruction (frame_columns.h) */
	CFI_MIDWAY, /* a frame already exists at the entry */
	CFI_NO_RETURN_ADDRESS, /* the frame is the outermost one */
};

struct cfi_rules {
	uint64_t code_alignment;
	int64_t data_alignment;
	uint64_t return_column;
	uint8_t pointer_bytes; /* size of DW_CFA_set_loc's operand */
};

/*
 * Runs the CIE's initial instructions, then the FDE's up to the first that
 * advances from the first byte. Returns an enum cfi_entry, or -EBADMSG.
 */
int cfi_entry_of(const struct cfi_rules *rules, struct bytes cie_program,
		 struct bytes fde_program);

#define CFI_MAX_SAVED 4

enum cfi_return_rule {
	CFI_RETURN_ELSEWHERE,
	CFI_RETURN_AT_OFFSET,
	CFI_RETURN_UNDEFINED,
};

struct cfi_row {
	/* Column of the register on which the CFA is based. */
	uint64_t cfa_register;
	int64_t cfa_offset;
	int cfa_is_expression;
	enum cfi_return_rule return_rule;
	int64_t return_offset; /* offset of the return address from the CFA */
};

/* An unwind program in execution, one row of its table at a time. */
struct cfi_machine {
	const struct cfi_rules *rules;
	struct bytes program;
	struct cfi_row row;
	struct cfi_row initial; /* the rules after the CIE's program */
	struct cfi_row saved[CFI_MAX_SAVED];
	unsigned int saved_count;
	/* end of `row`, as an offset from the code's first byte */
	uint64_t next_offset;
	int has_moved; /* 1: `row` ends at next_offset; 0: `row` is the last */
	int is_broken; /* whether this row and later ones are unknown */
	/* An earlier row had the return address in a register. */
	int had_return_in_register;
};

/*
 * Begins to execute an unwind program, at the code's first byte. *rules must
 * live as long as the machine.
 */
void cfi_begin(struct cfi_machine *machine, const struct cfi_rules *rules,
	       struct bytes cie_program, struct bytes fde_program);

/* Advances to the row for `offset` bytes from the first; never back. */
void cfi_seek(struct cfi_machine *machine, uint64_t offset);

/*
 * Returns 1 and the location of the return address in the present row, as an
 * offset from the register with this DWARF column number; 0 if the row is
 * unknown or has no such location.
 */
int cfi_return_slot(const struct cfi_machine *machine, uint64_t *column,
		    int64_t *offset);

#endif
