/* SPDX-License-Identifier: MIT */
/*
 * struct _Unwind_Context of libgcc's unwinder, with the layout that
 * unwinder_sets_ip() requires of a module that contains a copy of the unwinder
 * (image/unwinder.h).
 */
#ifndef CLEW_STACK_UNWIND_CONTEXT_H
#define CLEW_STACK_UNWIND_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

/* DWARF's number of rax, which passes the exception to landing pads. */
#define UNWIND_EXCEPTION_REGISTER 0

#define UNWIND_REGISTERS          18

/* Index in `others`: the beginning of the frame's function. */
#define UNWIND_FUNCTION 3

struct _Unwind_Context {
	union {
		uint64_t value;
		const uint64_t *at;
	} registers[UNWIND_REGISTERS];
	uint64_t cfa;
	uint64_t ra;
	uint64_t others[7];
	/* 1 if registers[i] is the value of the register and not its address */
	uint8_t is_value[UNWIND_REGISTERS];
};
_Static_assert(offsetof(struct _Unwind_Context, is_value) == 0xd8, "libgcc's");

/*
 * Returns the real CFA. The CFA of stubs is odd, to distinguish their frames
 * (stubs/frames_rules.h).
 */
static inline uint64_t unwind_even_cfa(uint64_t cfa)
{
	return cfa & ~UINT64_C(1);
}

/*
 * Returns the value that a personality routine has set for the register which
 * passes the exception, like _Unwind_GetGR().
 */
static inline uint64_t unwind_context_exception(
	const struct _Unwind_Context *context)
{
	const unsigned int number = UNWIND_EXCEPTION_REGISTER;
	const uint64_t *at = context->registers[number].at;

	if (context->is_value[number])
		return context->registers[number].value;
	return at ? *at : 0;
}

#endif
