/* SPDX-License-Identifier: MIT */
/*
 * Tests whether an address is in clew's code: in the library (from its ELF
 * header on), in a stub or in a trampoline.
 */
#ifndef CLEW_SYS_OWN_CODE_H
#define CLEW_SYS_OWN_CODE_H

#include <stdint.h>

#include "preload/hot/runtime.h"
#include "preload/hot/trampoline.h"

/* Symbols that the linker defines. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

/* Returns the start of the library, which is also its load bias. */
static inline uint64_t own_code_start(void)
{
	return (uintptr_t)__ehdr_start;
}

/* Returns the end of the library's text. */
static inline uint64_t own_code_end(void)
{
	return (uintptr_t)etext;
}

/* Returns whether a pc is in the library itself. */
static inline int own_code_is_library(uint64_t pc)
{
	return pc >= own_code_start() && pc < own_code_end();
}

/* Returns whether a pc is in the library, a stub or a trampoline. */
static inline int own_code_has(uint64_t pc)
{
	return own_code_is_library(pc) || runtime_is_stub(pc) ||
	       trampoline_is_pc(pc);
}

#endif
