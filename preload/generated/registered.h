/* SPDX-License-Identifier: MIT */
/*
 * Code that a program registers through GDB's JIT interface. LLVM and other
 * runtimes with a symbol file (ELF, in memory) for each piece of code fill in
 * __jit_debug_descriptor and call __jit_debug_register_code(), an empty
 * function for a debugger's breakpoint. clew diverts that function.
 */
#ifndef CLEW_GENERATED_REGISTERED_H
#define CLEW_GENERATED_REGISTERED_H

#include "preload/generated/managed.h"

extern const struct managed_runtime registered_runtimes;

/*
 * Replacements of __jit_debug_register_code(), one for each module that may
 * have it. They call registration_stand_in().
 */
void registered_enter_0(void);
void registered_enter_1(void);
void registered_enter_2(void);
void registered_enter_3(void);

#endif
