/* SPDX-License-Identifier: MIT */
/*
 * Exceptions without stubs in their way.
 *
 * An unwinder takes as long for a stub's frame as for a function's, so a throw
 * through hooked functions would cost twice as much. Therefore the innermost
 * running functions get their return addresses back on the stack when a throw
 * begins, and those that turn out to be outside of the handler give them up
 * again when it lands there:
 *
 *	stack	thrower | f | g | handler | main
 *	throw	          RA  RA   RA        RA		from the shadow
 *	lands			   stub      stub	as they were
 *
 * Nothing returns in between, for what is inside of the handler is dead and
 * what is outside waits for it. Should an exception end otherwise, as by a
 * longjmp out of a destructor, functions return past their stubs, which is no
 * harm but to the id (heal.h).
 *
 * Both phases of an unwinder must see the same frames. So loans are not touched
 * at cleanups, nor is anything lent to an exception on top of another one that
 * has not landed.
 */
#ifndef CLEW_STACK_LOANS_H
#define CLEW_STACK_LOANS_H

#include <stdint.h>

/* A throw begins; sp is where the return address of the unwinder is. */
void loans_make(uint64_t exception, uint64_t sp);

/*
 * A probe's handler: the _Unwind_RaiseException() of a libgcc that is linked into
 * a module begins, whose return address is at sp.
 */
struct _Unwind_Exception;
void loans_on_raise(const struct _Unwind_Exception *exception, uint64_t sp);

/*
 * A personality routine has chosen where to land with what may be an exception:
 * in the frame whose callee's CFA this is.
 */
void loans_settle(uint64_t exception, uint64_t cfa);

#endif
