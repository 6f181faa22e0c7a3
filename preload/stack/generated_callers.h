/* SPDX-License-Identifier: MIT */
/*
 * Contexts for generated code that calls native functions.
 *
 * A stub with STUB_IS_ASKING sees by its return address that code of no module
 * calls. This address then counts as a function with a number of its own; the
 * reader finds its name in what the program has announced. During the call the
 * return address is a trampoline (hot/trampoline.h). Therefore the stub needs
 * no special case, and the former context is restored at the return.
 *
 * An address identifies its code only until the code is unloaded: later code at
 * the same address counts as the former.
 */
#ifndef CLEW_STACK_GENERATED_CALLERS_H
#define CLEW_STACK_GENERATED_CALLERS_H

/*
 * Called before any hook, after the recorder was created, if this is requested.
 */
void generated_callers_begin(void);

#endif
