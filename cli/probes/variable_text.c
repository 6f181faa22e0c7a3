/* SPDX-License-Identifier: MIT */
/* See variable_text.h. */
#include "cli/probes/variable_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/frame_columns.h"
#include "machine/dwarf_registers.h"

#define STACK_MAX 16
#define BYTES_MAX 2000

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list arguments;
	char *text, *copy;
	int bytes;

	va_start(arguments, format);
	bytes = vasprintf(&text, format, arguments);
	va_end(arguments);
	copy = bytes < 0 ? NULL : arena_alloc(arena, (size_t)bytes + 1);
	if (!copy)
		memory_exhausted();
	memcpy(copy, text, (size_t)bytes);
	free(text);
	return copy;
}

/* The sum of `base` and `offset`; a number if base is NULL. */
struct term {
	const char *base;
	int64_t offset;
};

struct text_machine {
	const struct variable_site *site;
	struct arena *arena;
	struct term stack[STACK_MAX];
	unsigned int depth;
	const char *why;
};

static const char *const register_names[] = { MACHINE_DWARF_REGISTERS };
static const uint8_t arguments[] = { MACHINE_DWARF_ARGUMENTS };
#define REGISTER_NAMES (sizeof(register_names) / sizeof(*register_names))

static const char *write_term(struct text_machine *machine,
			      const struct term *term)
{
	if (!term->base && term->offset < 0)
		return arena_printf(machine->arena, "(%" PRId64 ")",
				    term->offset);
	if (!term->base)
		return arena_printf(machine->arena, "%" PRId64, term->offset);
	if (!term->offset)
		return term->base;
	return arena_printf(machine->arena, "(%s%+" PRId64 ")", term->base,
			    term->offset);
}

static void push(struct text_machine *machine, const char *base, int64_t offset)
{
	if (machine->depth == STACK_MAX)
		machine->why = "its location expression is too long";
	else
		machine->stack[machine->depth++] =
			(struct term){ base, offset };
}

/* Returns the term below `number` others, or NULL. */
static struct term *term_at(struct text_machine *machine, uint64_t number)
{
	if (number < machine->depth)
		return &machine->stack[machine->depth - 1 - number];
	machine->why = "its location expression is damaged";
	return NULL;
}

static void copy(struct text_machine *machine, uint64_t number)
{
	const struct term *term = term_at(machine, number);

	if (term)
		push(machine, term->base, term->offset);
}

static void push_register(struct text_machine *machine, unsigned int number,
			  uint64_t offset)
{
	if (number < REGISTER_NAMES)
		push(machine, register_names[number], (int64_t)offset);
	else
		machine->why = "it is in a register that is not a "
			       "general-purpose register";
}

static void push_frame(struct text_machine *machine,
		       const struct variable_step *step)
{
	if ((step->detail == COLUMN_FRAME_POINTER ||
	     step->detail == COLUMN_STACK_POINTER) &&
	    !frame_place_is_set_up(&machine->site->frame, step->detail))
		machine->why = "the function's stack frame is not set up at "
			       "this address";
	else
		push_register(machine, step->detail, step->number);
}

static void push_cfa(struct text_machine *machine)
{
	const struct frame_place *frame = &machine->site->frame;

	if (!frame->is_known)
		machine->why = "unwind information does not contain the "
			       "function's stack frame";
	else
		push_register(machine,
			      frame->column < REGISTER_NAMES
				      ? (unsigned int)frame->column
				      : REGISTER_NAMES,
			      (uint64_t)frame->offset);
}

static void change_top(struct text_machine *machine,
		       const struct variable_step *step)
{
	struct term *top = term_at(machine, 0);
	const char *text;

	if (!top)
		return;
	text = write_term(machine, top);
	if (step->operation == VARIABLE_NEGATE)
		text = arena_printf(machine->arena, "(-%s)", text);
	else if (step->operation == VARIABLE_INVERT)
		text = arena_printf(machine->arena, "(~%s)", text);
	else if (step->detail == 8)
		text = arena_printf(machine->arena, "(*(long *)%s)", text);
	else if (step->detail == 4 || step->detail == 2 || step->detail == 1)
		text = arena_printf(machine->arena, "(*(uint%d_t *)%s)",
				    8 * step->detail, text);
	else
		machine->why =
			"its kind of location expression is not supported";
	*top = (struct term){ text, 0 };
}

/* Casts give operators the signedness that DWARF defines. */
static const struct binary_text {
	const char *before, *sign;
} binaries[VARIABLE_OPERATIONS] = {
	[VARIABLE_PLUS] = { "", "+" },
	[VARIABLE_MINUS] = { "", "-" },
	[VARIABLE_TIMES] = { "", "*" },
	[VARIABLE_BY] = { "(long)", "/" },
	[VARIABLE_REST] = { "(unsigned long)", "%" },
	[VARIABLE_AND] = { "", "&" },
	[VARIABLE_OR] = { "", "|" },
	[VARIABLE_XOR] = { "", "^" },
	[VARIABLE_LEFT] = { "", "<<" },
	[VARIABLE_RIGHT] = { "(unsigned long)", ">>" },
	[VARIABLE_RIGHT_SIGNED] = { "(long)", ">>" },
	[VARIABLE_SAME] = { "", "==" },
	[VARIABLE_OTHER] = { "", "!=" },
	[VARIABLE_LESS] = { "(long)", "<" },
	[VARIABLE_LESS_OR_SAME] = { "(long)", "<=" },
	[VARIABLE_MORE] = { "(long)", ">" },
	[VARIABLE_MORE_OR_SAME] = { "(long)", ">=" },
};

static size_t bytes_of(const struct term *term)
{
	return term->base ? strlen(term->base) : 0;
}

static void combine(struct text_machine *machine,
		    const struct variable_step *step)
{
	const struct binary_text *binary = &binaries[step->operation];
	struct term *right = term_at(machine, 0), *left = term_at(machine, 1);
	const char *cast = binary->before;

	if (!left || !right || !binary->sign)
		return;
	if (bytes_of(left) + bytes_of(right) > BYTES_MAX) {
		machine->why = "its location expression is too long";
		return;
	}
	machine->depth--;
	if (step->operation == VARIABLE_PLUS && (!left->base || !right->base)) {
		left->offset = (int64_t)((uint64_t)left->offset +
					 (uint64_t)right->offset);
		left->base = left->base ? left->base : right->base;
		return;
	}
	left->base = arena_printf(machine->arena, "(%s%s%s%s%s)", cast,
				  write_term(machine, left), binary->sign, cast,
				  write_term(machine, right));
	left->offset = 0;
}

static void exchange(struct text_machine *machine)
{
	struct term *right = term_at(machine, 0), *left = term_at(machine, 1);
	struct term other;

	if (!left || !right)
		return;
	other = *left;
	*left = *right;
	*right = other;
}

static void run_step(struct text_machine *machine,
		     const struct variable_step *step)
{
	switch (step->operation) {
	case VARIABLE_NUMBER:
		push(machine, NULL, (int64_t)step->number);
		break;
	case VARIABLE_ADDRESS:
		push(machine, "$base", (int64_t)step->number);
		break;
	case VARIABLE_REGISTER:
		push_register(machine, step->detail, step->number);
		break;
	case VARIABLE_ARGUMENT:
		push_register(machine,
			      step->number - 1 < sizeof(arguments)
				      ? arguments[step->number - 1]
				      : REGISTER_NAMES,
			      0);
		break;
	case VARIABLE_FRAME:
		push_frame(machine, step);
		break;
	case VARIABLE_CFA:
		push_cfa(machine);
		break;
	case VARIABLE_DUPLICATE:
		copy(machine, 0);
		break;
	case VARIABLE_OVER:
		copy(machine, 1);
		break;
	case VARIABLE_PICK:
		copy(machine, step->number);
		break;
	case VARIABLE_DROP:
		if (term_at(machine, 0))
			machine->depth--;
		break;
	case VARIABLE_SWAP:
		exchange(machine);
		break;
	case VARIABLE_LOAD:
	case VARIABLE_NEGATE:
	case VARIABLE_INVERT:
		change_top(machine, step);
		break;
	default:
		combine(machine, step);
		break;
	}
}

/*
 * Returns whether the address is below the red zone, where signal handlers and
 * the probe itself write.
 */
static int is_gone(const struct term *address)
{
	return address->base == register_names[COLUMN_STACK_POINTER] &&
	       address->offset < -MACHINE_RED_ZONE_BYTES;
}

char *variable_text(const struct variable_site *site,
		    const struct variable *variable, struct arena *arena,
		    const char **why)
{
	struct text_machine machine = { .site = site, .arena = arena };
	const struct variables *all = &site->variables;

	*why = variables_text(all, variable->why);
	if (variable->place == VARIABLE_IS_NOWHERE)
		return NULL;
	for (uint32_t i = 0; i < variable->step_count && !machine.why; i++)
		run_step(&machine, &all->steps[variable->first_step + i]);
	if (!machine.why && machine.depth != 1)
		machine.why = "its location expression is damaged";
	if (!machine.why && variable->place == VARIABLE_IS_IN_MEMORY &&
	    is_gone(&machine.stack[0]))
		machine.why = "its function's stack frame no longer exists at "
			      "this address";
	*why = machine.why;
	return machine.why ? NULL
			   : (char *)write_term(&machine, &machine.stack[0]);
}
