/* SPDX-License-Identifier: MIT */
/*
 * Contexts for generated code that calls native functions.
 *
 * A stub with STUB_IS_ASKING recognizes by the return address that the caller
 * is not code of a module. The return address then counts as a function with a
 * number of its own; return addresses for which the table has no room share one
 * number. The reader searches the function's name in the names of generated
 * code that the program has announced. During the call the return address is a
 * trampoline (hot/trampoline.h). Therefore the stub needs no special case, and
 * the former context is restored at the return.
 *
 * An address identifies its code only until the code is unloaded: later code at
 * the same address counts as the former code.
 */
#ifndef CLEW_STACK_GENERATED_CALLERS_H
#define CLEW_STACK_GENERATED_CALLERS_H

/*
 * Prepares the numbers of generated callers. Called if rt.asks_generated is
 * set, after the recorder was created and before anything is hooked.
 */
void generated_callers_begin(void);

#endif
