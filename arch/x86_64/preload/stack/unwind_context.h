/* SPDX-License-Identifier: MIT */
/*
 * What an unwinder of libgcc keeps of a frame, as unwinder_sets_ip() has found it
 * in a module that is linked to its own (image/unwinder.h).
 */
#ifndef CLEW_STACK_UNWIND_CONTEXT_H
#define CLEW_STACK_UNWIND_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

/* By DWARF's number: rax, in which landing pads get their exception. */
#define UNWIND_EXCEPTION_REGISTER 0

#define UNWIND_REGISTERS          18

/* Of what it has else: where the function begins that the frame is of. */
#define UNWIND_FUNCTION 3

struct _Unwind_Context {
	union {
		uint64_t value;
		const uint64_t *at;
	} registers[UNWIND_REGISTERS];
	uint64_t cfa;
	uint64_t ra;
	uint64_t others[7];
	uint8_t is_value[UNWIND_REGISTERS]; /* of the registers */
};
_Static_assert(offsetof(struct _Unwind_Context, is_value) == 0xd8, "libgcc's");

/*
 * The CFA of stubs is odd, to tell their frames from others
 * (stubs/frames_rules.h): the address that it is.
 */
static inline uint64_t unwind_even_cfa(uint64_t cfa)
{
	return cfa & ~UINT64_C(1);
}

/* As _Unwind_GetGR() of the register that callers of _Unwind_SetIP() have set. */
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
