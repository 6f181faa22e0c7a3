/* SPDX-License-Identifier: MIT */
/* See variable_locations.h. */
#include "symbolizer/variables/variable_locations.h"

#include <string.h>

#define STEPS_MAX 64

/* The steps of one location, and its error. */
struct location_steps {
	struct debug_reading *reading;
	const struct variable_frame *frame;
	Dwarf_Die die; /* its unit has the table for indices of addresses */
	struct variable_step steps[STEPS_MAX];
	unsigned int count;
	int is_value; /* the result is no address */
	const char *why;
	int is_frame_base; /* the frame base is being read */
};

static void read_frame_base(struct location_steps *out, uint64_t offset);

static void put(struct location_steps *out, enum variable_operation operation,
		unsigned int detail, uint64_t number)
{
	if (out->count == STEPS_MAX) {
		out->why = "its location expression is too long";
		return;
	}
	out->steps[out->count++] = (struct variable_step){
		.operation = (uint8_t)operation,
		.detail = (uint8_t)detail,
		.number = number,
	};
}

static void put_register(struct location_steps *out, uint64_t number,
			 uint64_t offset)
{
	if (number > UINT8_MAX)
		out->why = "its location expression is damaged";
	else
		put(out,
		    out->is_frame_base ? VARIABLE_FRAME : VARIABLE_REGISTER,
		    (unsigned int)number, offset);
}

/* ---- Operations ---- */

static const struct operation_name {
	uint8_t dwarf, operation; /* enum variable_operation */
} plain_operations[] = {
	{ DW_OP_dup, VARIABLE_DUPLICATE },
	{ DW_OP_drop, VARIABLE_DROP },
	{ DW_OP_over, VARIABLE_OVER },
	{ DW_OP_swap, VARIABLE_SWAP },
	{ DW_OP_neg, VARIABLE_NEGATE },
	{ DW_OP_not, VARIABLE_INVERT },
	{ DW_OP_plus, VARIABLE_PLUS },
	{ DW_OP_minus, VARIABLE_MINUS },
	{ DW_OP_mul, VARIABLE_TIMES },
	{ DW_OP_div, VARIABLE_BY },
	{ DW_OP_mod, VARIABLE_REST },
	{ DW_OP_and, VARIABLE_AND },
	{ DW_OP_or, VARIABLE_OR },
	{ DW_OP_xor, VARIABLE_XOR },
	{ DW_OP_shl, VARIABLE_LEFT },
	{ DW_OP_shr, VARIABLE_RIGHT },
	{ DW_OP_shra, VARIABLE_RIGHT_SIGNED },
	{ DW_OP_eq, VARIABLE_SAME },
	{ DW_OP_ne, VARIABLE_OTHER },
	{ DW_OP_lt, VARIABLE_LESS },
	{ DW_OP_le, VARIABLE_LESS_OR_SAME },
	{ DW_OP_gt, VARIABLE_MORE },
	{ DW_OP_ge, VARIABLE_MORE_OR_SAME },
};

/*
 * Handles the operations of the table above, and those that yield a number or a
 * register plus an offset. Returns 0 for all others.
 */
static int take_simple(struct location_steps *out, Dwarf_Small op,
		       Dwarf_Unsigned operand, Dwarf_Unsigned second)
{
	for (size_t i = 0;
	     i < sizeof(plain_operations) / sizeof(*plain_operations); i++)
		if (plain_operations[i].dwarf == op) {
			put(out, plain_operations[i].operation, 0, 0);
			return 1;
		}
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
		put(out, VARIABLE_NUMBER, 0, op - DW_OP_lit0);
	else if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		put_register(out, op - DW_OP_breg0, operand);
	else if (op == DW_OP_bregx)
		put_register(out, operand, second);
	else if (op >= DW_OP_const1u && op <= DW_OP_consts)
		put(out, VARIABLE_NUMBER, 0, operand);
	else
		return 0;
	return 1;
}

/* At the entry, a register still has the value that the caller passed. */
static void take_entry_value(struct location_steps *out, Dwarf_Unsigned bytes,
			     Dwarf_Unsigned block)
{
	const Dwarf_Small *ops = (const Dwarf_Small *)(uintptr_t)block;

	if (out->frame->is_entry && bytes == 1 && ops && *ops >= DW_OP_reg0 &&
	    *ops <= DW_OP_reg31)
		put_register(out, *ops - DW_OP_reg0, 0);
	else
		out->why = "its value can be computed only in the caller here";
}

static void take_bytes(struct location_steps *out, Dwarf_Unsigned bytes,
		       Dwarf_Unsigned block)
{
	uint64_t number = 0;

	if (bytes > sizeof(number) || !block) {
		out->why = "it is a constant of more than 8 bytes";
		return;
	}
	memcpy(&number, (const void *)(uintptr_t)block, bytes);
	put(out, VARIABLE_NUMBER, 0, number);
	out->is_value = 1;
}

static const char *refusal_of(Dwarf_Small op)
{
	switch (op) {
	case DW_OP_piece:
	case DW_OP_bit_piece:
		return "it is split over several locations here";
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return "it is thread-local";
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return "the value that it points to is optimized out here";
	case DW_OP_call_ref:
	case DW_OP_call2:
	case DW_OP_call4:
	case DW_OP_GNU_variable_value:
		return "its location depends on other variables";
	default:
		return "its kind of location expression is not supported";
	}
}

/* Adds an entry of the unit's address table. */
static void put_indexed(struct location_steps *out, Dwarf_Unsigned index)
{
	Dwarf_Error error = NULL;
	Dwarf_Addr address;

	if (dwarf_debug_addr_index_to_addr(out->die, index, &address, &error) ==
	    DW_DLV_OK)
		put(out, VARIABLE_ADDRESS, 0, address);
	else
		out->why = "its address is in a table that is missing";
}

static void take_operation(struct location_steps *out, Dwarf_Small op,
			   Dwarf_Unsigned operand, Dwarf_Unsigned second)
{
	if (take_simple(out, op, operand, second))
		return;
	if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
		put_register(out, op - DW_OP_reg0, 0);
		out->is_value = !out->is_frame_base;
		return;
	}
	switch (op) {
	case DW_OP_regx:
		put_register(out, operand, 0);
		out->is_value = !out->is_frame_base;
		break;
	case DW_OP_addr:
		put(out, VARIABLE_ADDRESS, 0, operand);
		break;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		put_indexed(out, operand);
		break;
	case DW_OP_fbreg:
		read_frame_base(out, operand);
		break;
	case DW_OP_call_frame_cfa:
		put(out, VARIABLE_CFA, 0, 0);
		break;
	case DW_OP_plus_uconst:
		put(out, VARIABLE_NUMBER, 0, operand);
		put(out, VARIABLE_PLUS, 0, 0);
		break;
	case DW_OP_pick:
		put(out, VARIABLE_PICK, 0, operand);
		break;
	case DW_OP_deref:
		put(out, VARIABLE_LOAD, 8, 0);
		break;
	case DW_OP_deref_size:
		put(out, VARIABLE_LOAD, (unsigned int)operand, 0);
		break;
	case DW_OP_stack_value:
		out->is_value = 1;
		break;
	case DW_OP_implicit_value:
		take_bytes(out, operand, second);
		break;
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		take_entry_value(out, operand, second);
		break;
	case DW_OP_nop:
	case DW_OP_GNU_uninit:
		break;
	default:
		out->why = refusal_of(op);
		break;
	}
}

static void take_operations(struct location_steps *out,
			    Dwarf_Locdesc_c operations, Dwarf_Unsigned count)
{
	if (!count)
		out->why = "it is optimized out at this address";
	for (Dwarf_Unsigned i = 0; i < count && !out->why; i++) {
		Dwarf_Unsigned operands[3] = { 0 }, branch;
		Dwarf_Error error = NULL;
		Dwarf_Small op;

		if (dwarf_get_location_op_value_c(
			    operations, i, &op, &operands[0], &operands[1],
			    &operands[2], &branch, &error) != DW_DLV_OK)
			out->why = "its location expression is damaged";
		else
			take_operation(out, op, operands[0], operands[1]);
	}
}

/* ---- Lists ---- */

static void read_list(struct location_steps *out, Dwarf_Attribute attribute)
{
	Dwarf_Error error = NULL;
	Dwarf_Unsigned count = 0;
	Dwarf_Loc_Head_c head;
	unsigned int kind = DW_LKIND_unknown;
	int is_found = 0;

	if (dwarf_get_loclist_c(attribute, &head, &count, &error) !=
	    DW_DLV_OK) {
		out->why = "its location expression is damaged";
		return;
	}
	dwarf_get_loclist_head_kind(head, &kind, &error);
	for (Dwarf_Unsigned i = 0; i < count && !is_found && !out->why; i++) {
		Dwarf_Unsigned raw[2], operations, at[2];
		Dwarf_Small kind_of_entry = 0, source;
		Dwarf_Bool is_unavailable = 0;
		Dwarf_Addr low = 0, high = 0;
		Dwarf_Locdesc_c entry;

		if (dwarf_get_locdesc_entry_d(
			    head, i, &kind_of_entry, &raw[0], &raw[1],
			    &is_unavailable, &low, &high, &operations, &entry,
			    &source, &at[0], &at[1], &error) != DW_DLV_OK) {
			out->why = "its location expression is damaged";
			break;
		}
		is_found = kind == DW_LKIND_expression ||
			   kind_of_entry == DW_LLE_default_location ||
			   (out->frame->vaddr >= low &&
			    out->frame->vaddr < high && !is_unavailable &&
			    kind_of_entry != DW_LLE_base_address &&
			    kind_of_entry != DW_LLE_base_addressx &&
			    kind_of_entry != DW_LLE_end_of_list);
		if (is_found)
			take_operations(out, entry, operations);
	}
	dwarf_dealloc_loc_head_c(head);
	if (!is_found && !out->why)
		out->why = "it is optimized out at this address";
}

static void read_frame_base(struct location_steps *out, uint64_t offset)
{
	Dwarf_Attribute base =
		out->frame->function && !out->is_frame_base
			? debug_die_attribute(out->reading,
					      out->frame->function,
					      DW_AT_frame_base)
			: NULL;

	if (!base) {
		out->why = "debug information does not describe its function's "
			   "stack frame";
		return;
	}
	out->is_frame_base = 1;
	read_list(out, base);
	out->is_frame_base = 0;
	dwarf_dealloc_attribute(base);
	if (offset) {
		put(out, VARIABLE_NUMBER, 0, offset);
		put(out, VARIABLE_PLUS, 0, 0);
	}
}

/* ---- Variables ---- */

static int is_block(Dwarf_Half form)
{
	return form == DW_FORM_exprloc || form == DW_FORM_block ||
	       form == DW_FORM_block1 || form == DW_FORM_block2 ||
	       form == DW_FORM_block4;
}

enum variable_location variable_location_kind(struct debug_reading *reading,
					      Dwarf_Die die)
{
	Dwarf_Attribute found =
		debug_die_attribute(reading, die, DW_AT_location);
	Dwarf_Error error = NULL;
	Dwarf_Half form = 0;

	if (found) {
		dwarf_whatform(found, &form, &error);
		dwarf_dealloc_attribute(found);
		return is_block(form) ? LOCATION_IS_ONE : LOCATION_IS_LIST;
	}
	found = debug_die_attribute(reading, die, DW_AT_const_value);
	if (!found)
		return LOCATION_IS_NONE;
	dwarf_dealloc_attribute(found);
	return LOCATION_IS_CONSTANT;
}

static void read_constant(struct location_steps *out, Dwarf_Die die)
{
	Dwarf_Attribute found =
		debug_die_attribute(out->reading, die, DW_AT_const_value);
	Dwarf_Error error = NULL;
	Dwarf_Unsigned number;
	Dwarf_Signed with_sign;
	Dwarf_Block *block;

	out->is_value = 1;
	if (dwarf_formudata(found, &number, &error) == DW_DLV_OK)
		put(out, VARIABLE_NUMBER, 0, number);
	else if (dwarf_formsdata(found, &with_sign, &error) == DW_DLV_OK)
		put(out, VARIABLE_NUMBER, 0, (uint64_t)with_sign);
	else if (dwarf_formblock(found, &block, &error) == DW_DLV_OK)
		take_bytes(out, block->bl_len, (uintptr_t)block->bl_data);
	else
		out->why = "its value is not a number";
}

void variable_location_read(struct debug_reading *reading,
			    const struct variable_frame *frame, Dwarf_Die die,
			    struct variable *out)
{
	struct location_steps steps = { .reading = reading,
					.frame = frame,
					.die = die };

	switch (variable_location_kind(reading, die)) {
	case LOCATION_IS_NONE:
		steps.why = "it is optimized out";
		break;
	case LOCATION_IS_CONSTANT:
		read_constant(&steps, die);
		break;
	default:
		read_list(&steps,
			  debug_die_attribute(reading, die, DW_AT_location));
		break;
	}
	if (!steps.why && !steps.count)
		steps.why = "its location expression is empty";
	out->why = variable_answer_text(&reading->answer, steps.why);
	out->place = steps.why        ? VARIABLE_IS_NOWHERE
		     : steps.is_value ? VARIABLE_IS_A_VALUE
				      : VARIABLE_IS_IN_MEMORY;
	out->first_step = reading->answer.header.step_count;
	out->step_count = steps.why ? 0 : steps.count;
	for (uint32_t i = 0; i < out->step_count; i++)
		*variable_answer_step(&reading->answer) = steps.steps[i];
}
