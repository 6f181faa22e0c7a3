/* SPDX-License-Identifier: MIT */
/* What of the process is clew's: the library, from its ELF header on, and stubs. */
#ifndef CLEW_SYS_OWN_CODE_H
#define CLEW_SYS_OWN_CODE_H

#include <stdint.h>

#include "preload/hot/runtime.h"
#include "preload/hot/trampoline.h"

/* The linker's. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

/* Also the library's load bias. */
static inline uint64_t own_code_start(void)
{
	return (uintptr_t)__ehdr_start;
}

/* The end of the library's text. */
static inline uint64_t own_code_end(void)
{
	return (uintptr_t)etext;
}

/* Whether a pc is in the library itself. */
static inline int own_code_is_library(uint64_t pc)
{
	return pc >= own_code_start() && pc < own_code_end();
}

/* Whether it is in the library, in a stub, or in a trampoline. */
static inline int own_code_has(uint64_t pc)
{
	return own_code_is_library(pc) || runtime_is_stub(pc) ||
	       trampoline_is_pc(pc);
}

#endif
