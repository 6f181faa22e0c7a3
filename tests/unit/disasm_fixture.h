/* SPDX-License-Identifier: MIT */
/* Includes and helpers of tests that need a decoder of instructions. */
#ifndef CLEW_TESTS_DISASM_FIXTURE_H
#define CLEW_TESTS_DISASM_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "disasm/decode.h"
#include "image/arena.h"

/* Group set-up: *state becomes an open decoder. Lives until exit. */
static inline int fixture_open_decoder(void **state)
{
	static struct arena arena;
	static struct decoder decoder;

	*state = &decoder;
	return decoder_open(&decoder, arena_memory, &arena);
}

#endif
