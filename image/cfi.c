/* SPDX-License-Identifier: MIT */
/*
 * See cfi.h. Opcodes: DWARF 5, sections 6.4.2 and 7.24; the GNU ones: Linux
 * Standard Base, "DWARF Extensions". Only the CFA and the rule of the
 * return-address column are tracked.
 */
#include "image/cfi.h"

#include <errno.h>

#include "image/frame_columns.h"

/* maximum number of steps before the first advance; usually there are few */
#define MAX_STEPS 256

enum {
	/* these three opcodes are in the upper two bits of the byte */
	OP_ADVANCE_LOC = 0x40,
	OP_OFFSET = 0x80,
	OP_RESTORE = 0xc0,
	OP_NOP = 0x00,
	OP_SET_LOC = 0x01,
	OP_ADVANCE_LOC1 = 0x02,
	OP_ADVANCE_LOC2 = 0x03,
	OP_ADVANCE_LOC4 = 0x04,
	OP_OFFSET_EXTENDED = 0x05,
	OP_RESTORE_EXTENDED = 0x06,
	OP_UNDEFINED = 0x07,
	OP_SAME_VALUE = 0x08,
	OP_REGISTER = 0x09,
	OP_REMEMBER_STATE = 0x0a,
	OP_RESTORE_STATE = 0x0b,
	OP_DEF_CFA = 0x0c,
	OP_DEF_CFA_REGISTER = 0x0d,
	OP_DEF_CFA_OFFSET = 0x0e,
	OP_DEF_CFA_EXPRESSION = 0x0f,
	OP_EXPRESSION = 0x10,
	OP_OFFSET_EXTENDED_SF = 0x11,
	OP_DEF_CFA_SF = 0x12,
	OP_DEF_CFA_OFFSET_SF = 0x13,
	OP_VAL_OFFSET = 0x14,
	OP_VAL_OFFSET_SF = 0x15,
	OP_VAL_EXPRESSION = 0x16,
	OP_GNU_ARGS_SIZE = 0x2e,
	OP_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

static void set_rule(struct cfi_machine *m, uint64_t column,
		     enum cfi_return_rule rule, int64_t offset)
{
	if (column != m->rules->return_column)
		return;
	m->row.return_rule = rule;
	m->row.return_offset = offset;
}

static void set_offset(struct cfi_machine *m, uint64_t column,
		       uint64_t factored)
{
	uint64_t scale = (uint64_t)m->rules->data_alignment;

	set_rule(m, column, CFI_RETURN_AT_OFFSET, (int64_t)(factored * scale));
}

static void restore(struct cfi_machine *m, uint64_t column)
{
	set_rule(m, column, m->initial.return_rule, m->initial.return_offset);
}

static void define_cfa(struct cfi_machine *m, uint64_t column, int64_t offset)
{
	m->row.cfa_register = column;
	m->row.cfa_offset = offset;
	m->row.cfa_is_expression = 0;
}

static int64_t signed_factored(struct cfi_machine *m, struct bytes *b)
{
	return (int64_t)((uint64_t)bytes_sleb(b) *
			 (uint64_t)m->rules->data_alignment);
}

static void move_on(struct cfi_machine *m, uint64_t factored)
{
	m->has_moved |= factored != 0;
	m->next_offset += factored * m->rules->code_alignment;
}

static int push_row(struct cfi_machine *m)
{
	if (m->saved_count == CFI_MAX_SAVED)
		return -EBADMSG;
	m->saved[m->saved_count++] = m->row;
	return 0;
}

static int pop_row(struct cfi_machine *m)
{
	if (m->saved_count == 0)
		return -EBADMSG;
	m->row = m->saved[--m->saved_count];
	return 0;
}

/* Executes an opcode that is a whole byte. */
static int step_extended(struct cfi_machine *m, uint8_t op, struct bytes *b)
{
	uint64_t column;

	switch (op) {
	case OP_NOP:
		return 0;
	case OP_SET_LOC:
		bytes_skip(b, m->rules->pointer_bytes);
		m->has_moved = 1;
		/* An absolute address; compilers do not use this. */
		m->is_broken = 1;
		return 0;
	case OP_ADVANCE_LOC1:
		move_on(m, bytes_unsigned(b, 1));
		return 0;
	case OP_ADVANCE_LOC2:
		move_on(m, bytes_unsigned(b, 2));
		return 0;
	case OP_ADVANCE_LOC4:
		move_on(m, bytes_unsigned(b, 4));
		return 0;
	case OP_OFFSET_EXTENDED:
		column = bytes_uleb(b);
		set_offset(m, column, bytes_uleb(b));
		return 0;
	case OP_OFFSET_EXTENDED_SF:
		column = bytes_uleb(b);
		set_offset(m, column, (uint64_t)bytes_sleb(b));
		return 0;
	case OP_GNU_NEGATIVE_OFFSET_EXTENDED:
		column = bytes_uleb(b);
		set_offset(m, column, -bytes_uleb(b));
		return 0;
	case OP_RESTORE_EXTENDED:
		restore(m, bytes_uleb(b));
		return 0;
	case OP_UNDEFINED:
		set_rule(m, bytes_uleb(b), CFI_RETURN_UNDEFINED, 0);
		return 0;
	case OP_SAME_VALUE:
		set_rule(m, bytes_uleb(b), CFI_RETURN_ELSEWHERE, 0);
		return 0;
	case OP_REGISTER:
		column = bytes_uleb(b);
		m->had_return_in_register |= column == m->rules->return_column;
		set_rule(m, column, CFI_RETURN_ELSEWHERE, 0);
		bytes_uleb(b);
		return 0;
	case OP_VAL_OFFSET:
	case OP_VAL_OFFSET_SF: /* both kinds of LEB128 have the same length */
		set_rule(m, bytes_uleb(b), CFI_RETURN_ELSEWHERE, 0);
		bytes_uleb(b);
		return 0;
	case OP_EXPRESSION:
	case OP_VAL_EXPRESSION:
		set_rule(m, bytes_uleb(b), CFI_RETURN_ELSEWHERE, 0);
		bytes_skip(b, bytes_uleb(b));
		return 0;
	case OP_REMEMBER_STATE:
		return push_row(m);
	case OP_RESTORE_STATE:
		return pop_row(m);
	case OP_DEF_CFA:
		column = bytes_uleb(b);
		define_cfa(m, column, (int64_t)bytes_uleb(b));
		return 0;
	case OP_DEF_CFA_SF:
		column = bytes_uleb(b);
		define_cfa(m, column, signed_factored(m, b));
		return 0;
	case OP_DEF_CFA_REGISTER:
		m->row.cfa_register = bytes_uleb(b);
		return 0;
	case OP_DEF_CFA_OFFSET:
		m->row.cfa_offset = (int64_t)bytes_uleb(b);
		return 0;
	case OP_DEF_CFA_OFFSET_SF:
		m->row.cfa_offset = signed_factored(m, b);
		return 0;
	case OP_DEF_CFA_EXPRESSION:
		bytes_skip(b, bytes_uleb(b));
		m->row.cfa_is_expression = 1;
		return 0;
	case OP_GNU_ARGS_SIZE:
		bytes_uleb(b);
		return 0;
	default:
		return -EBADMSG;
	}
}

static int step(struct cfi_machine *m, struct bytes *b)
{
	uint8_t op = bytes_u8(b);
	uint8_t operand = op & 0x3f;

	switch (op & 0xc0) {
	case OP_ADVANCE_LOC:
		move_on(m, operand);
		return 0;
	case OP_OFFSET:
		set_offset(m, operand, bytes_uleb(b));
		return 0;
	case OP_RESTORE:
		restore(m, operand);
		return 0;
	default:
		return step_extended(m, op, b);
	}
}

/* Runs until the end or the first advance; an error is permanent. */
static int run(struct cfi_machine *m, struct bytes *program)
{
	for (int steps = 0; bytes_left(program) && !m->has_moved; steps++) {
		int err = step(m, program);

		if (err || program->failed || steps == MAX_STEPS) {
			m->is_broken = 1;
			return -EBADMSG;
		}
	}
	return 0;
}

static int start(struct cfi_machine *m, const struct cfi_rules *rules,
		 struct bytes cie_program, struct bytes fde_program)
{
	int err;

	*m = (struct cfi_machine){ .rules = rules, .program = fde_program };
	err = run(m, &cie_program);
	if (err)
		return err;
	m->initial = m->row;
	m->has_moved = 0;
	m->next_offset = 0;
	return run(m, &m->program);
}

static int is_state_after_call(const struct cfi_row *row)
{
	return !row->cfa_is_expression &&
	       row->cfa_register == COLUMN_STACK_POINTER &&
	       row->cfa_offset == CALLED_CFA_OFFSET &&
	       row->return_rule == CFI_RETURN_AT_OFFSET &&
	       row->return_offset == CALLED_RETURN_OFFSET;
}

int cfi_entry_of(const struct cfi_rules *rules, struct bytes cie_program,
		 struct bytes fde_program)
{
	struct cfi_machine m;
	int err = start(&m, rules, cie_program, fde_program);

	if (err)
		return err;
	if (m.row.return_rule == CFI_RETURN_UNDEFINED)
		return CFI_NO_RETURN_ADDRESS;
	return is_state_after_call(&m.row) ? CFI_CALLED : CFI_MIDWAY;
}

void cfi_begin(struct cfi_machine *machine, const struct cfi_rules *rules,
	       struct bytes cie_program, struct bytes fde_program)
{
	start(machine, rules, cie_program, fde_program);
}

void cfi_seek(struct cfi_machine *machine, uint64_t offset)
{
	while (machine->has_moved && machine->next_offset <= offset &&
	       !machine->is_broken) {
		machine->has_moved = 0;
		run(machine, &machine->program);
	}
}

int cfi_return_slot(const struct cfi_machine *machine, uint64_t *column,
		    int64_t *offset)
{
	const struct cfi_row *row = &machine->row;

	if (machine->is_broken || row->cfa_is_expression ||
	    row->return_rule != CFI_RETURN_AT_OFFSET)
		return 0;
	*column = row->cfa_register;
	*offset = (int64_t)((uint64_t)row->cfa_offset +
			    (uint64_t)row->return_offset);
	return 1;
}
