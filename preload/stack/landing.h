/* SPDX-License-Identifier: MIT */
/*
 * Landings: where a thread goes on after longjmp(), an exception, setcontext() or
 * any other jump out of functions that have not returned.
 *
 * The thread's id, which says what functions it is in, is the jump's still, and
 * becomes that of the function in which it lands. Return addresses need nothing:
 * each is kept by the stack slot that it came from (hot/shadow.h). Who tells of
 * jumps are clew's functions in front of libc's and the unwinder's
 * (front/landing_jumps.c), and probes in code that jumps by itself.
 */
#ifndef CLEW_STACK_LANDING_H
#define CLEW_STACK_LANDING_H

#include <stdint.h>

#include "preload/sys/range.h"

/*
 * The id of the function that goes on when the calling thread's stack pointer
 * becomes `stack`: a frame further out, or one of another stack.
 */
uint64_t landing_id(uint64_t stack);

/*
 * Where recursion is folded, slots that were left behind by an earlier jump may look like
 * the way to where this one lands (walk.c), and lead past it: then another function
 * is at its end than lands. So: the number of the one that has the code at pc, 0 where
 * nobody knows or needs it; and the id in which that one goes on, as above.
 */
uint32_t landing_function(uint64_t pc);
uint64_t landing_id_of(uint64_t stack, uint32_t function);

/*
 * The calling thread lands at once: in the function with this id, if that frame
 * is there; ID_ROOT: in whichever is.
 */
void landing_at(uint64_t stack, uint64_t id);

/*
 * A leap (disasm/leap.h) is, or is going to be, watched: if it is libc's,
 * then longjmp() lands there, and not before it has called other functions of
 * libc, which are hooked as well.
 */
void landing_note_leap(uint64_t pc);

/*
 * Slots in [from, until) have got trampolines by copying: a slice of a stack is
 * back, and those functions go on one day. If it is this very stack, outwards of
 * those that are running, then these return to them.
 */
void landing_restored(uint64_t from, uint64_t until);

/*
 * So many bytes were copied, trampolines among them, but so few that it may be
 * data. A jump into these very bytes tells: nobody jumps into data.
 */
void landing_perhaps_restored(uint64_t at, uint64_t bytes);

/*
 * Whether that was where the thread is going to land now: the end of the slice,
 * or 0. Forgotten once the thread is there.
 */
uint64_t landing_slice_end(uint64_t stack);
void landing_forget_slice(uint64_t stack);

/*
 * It lands once the functions that are running now have returned, in the function that has
 * the code at pc: each of them will restore the id of the landing instead of its caller's.
 */
void landing_prepare(uint64_t stack, uint64_t pc,
		     const struct pc_range *unwinder);

/*
 * Handlers of probes. The calling thread is about to leap to another frame, where
 * its stack pointer will be `stack`, and sp tells the pc (stubs/probe.h); the
 * _Unwind_SetIP() of a libgcc that is linked into a module begins, which says where an
 * unwinder will land.
 */
struct _Unwind_Context;
void landing_on_leap(uint64_t stack, uint64_t sp);
void landing_on_set_ip(const struct _Unwind_Context *context);

/*
 * From our _Unwind_RaiseException (raise.S), whose return address is at
 * sp. Returns where to go on: the unwinder's own.
 */
struct _Unwind_Exception;
void *landing_raise(const struct _Unwind_Exception *exception, uint64_t sp);

/*
 * The id of the calling thread, which need not be the one it was before a
 * call. For code that compilers might keep a thread's address in.
 */
uint64_t landing_current_id(void);
void landing_set_id(uint64_t id);

#endif
