/* SPDX-License-Identifier: MIT */
/*
 * Code that a program registers by GDB's JIT interface: LLVM's, and whoever else
 * has a symbol file (ELF, in memory) for each piece of code, fills in
 * __jit_debug_descriptor and calls __jit_debug_register_code(), which does nothing
 * but be a place for a breakpoint. Clew stands in for it.
 */
#ifndef CLEW_FRONT_REGISTERED_H
#define CLEW_FRONT_REGISTERED_H

#include "preload/front/managed.h"

extern const struct managed_runtime registered_runtimes;

/* One for each module that may have it; they lead to registration_stand_in(). */
void registered_enter_0(void);
void registered_enter_1(void);
void registered_enter_2(void);
void registered_enter_3(void);

#endif
