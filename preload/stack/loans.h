/* SPDX-License-Identifier: MIT */
/*
 * Loans: return addresses that are put back on the stack while an exception
 * unwinds, so that the unwinder meets no frames of stubs.
 *
 * An unwinder needs as long for a stub's frame as for a function's, so a throw
 * through hooked functions would cost twice as much. Therefore the innermost
 * running functions, up to HOT_LOANS_MAX, get their return addresses back on
 * the stack when a throw begins. When the exception lands, the functions
 * outside of the handler give them up again:
 *
 *	stack	thrower | f | g | handler | main
 *	throw	          RA  RA   RA        RA		from the shadow
 *	landing			   stub      stub	as before
 *
 * Nothing returns in between: functions inside of the handler have ended, and
 * functions outside wait for it. If an exception ends otherwise, for example by
 * a longjmp out of a destructor, functions return past their stubs. This only
 * makes the id stale (heal.h).
 *
 * Both phases of an unwinder must see the same frames. Therefore loans remain
 * at cleanups, and an exception that is thrown before another one has landed
 * gets no loan.
 */
#ifndef CLEW_STACK_LOANS_H
#define CLEW_STACK_LOANS_H

#include <stdint.h>

/*
 * Lends return addresses when a throw begins. `exception` is the address of the
 * exception; sp is the slot of the unwinder's return address.
 */
void loans_make(uint64_t exception, uint64_t sp);

/*
 * Handler of the probe at the beginning of _Unwind_RaiseException(), in a
 * libgcc that is linked into a module. The return address is at sp.
 */
struct _Unwind_Exception;
void loans_on_raise(const struct _Unwind_Exception *exception, uint64_t sp);

/*
 * Called when a personality routine has chosen the frame whose callee has this
 * CFA, for a handler or a cleanup. At a handler, the exception lands and its
 * loans end. `exception` is the address of the exception, or another value if
 * the personality routine does not show it.
 */
void loans_settle(uint64_t exception, uint64_t cfa);

#endif
