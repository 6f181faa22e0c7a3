/* SPDX-License-Identifier: MIT */
/*
 * Landings: a thread continues after longjmp(), an exception, setcontext() or
 * another jump out of functions that have not returned.
 *
 * The thread's id names its call stack. At a landing the id of the function
 * that jumped is replaced by that of the function in which the thread
 * continues. Return addresses need no repair, because the shadow holds each by
 * its stack slot (hot/shadow.h). Jumps are reported by clew's functions in
 * front of libc's and the unwinder's (front/landing_jumps.c), and by probes in
 * code that jumps by itself.
 */
#ifndef CLEW_STACK_LANDING_H
#define CLEW_STACK_LANDING_H

#include <stdint.h>

#include "preload/sys/range.h"

/*
 * Returns the id of the function that continues when the calling thread's stack
 * pointer becomes `stack`: in a frame further out, or on another stack. Returns
 * ID_ROOT if the chain of running functions ends before this stack pointer, and
 * the thread's present id if no function is found.
 */
uint64_t landing_id(uint64_t stack);

/*
 * landing_function() returns the number of the function that contains pc, or 0
 * if it is unknown or not needed. landing_id_of() is landing_id() for a landing
 * in this function. Where recursion is folded the number is needed, because stale
 * slots may look like a chain of callers that leads past the landing (walk.c).
 */
uint32_t landing_function(uint64_t pc);
uint64_t landing_id_of(uint64_t stack, uint32_t function);

/*
 * The calling thread is about to land at the stack pointer `stack`. Changes the
 * thread's id to `id` if the function with this id has its frame there,
 * otherwise to landing_id(stack). `id` is ID_ROOT if it is unknown.
 */
void landing_at(uint64_t stack, uint64_t id);

/*
 * Notes that a probe watches the leap at pc (disasm/leap.h), or will watch it.
 * If the leap is in libc, the thread lands at the leap and not when the program
 * calls longjmp(): before the leap, longjmp() calls other functions of libc
 * that are also hooked.
 */
void landing_note_leap(uint64_t pc);

/*
 * Notes that a slice of a stack, whose slots hold trampolines, was copied to
 * [from, until), and that its functions will continue. If the slice begins with
 * a trampoline and lies on the thread's own stack, at most 16 KiB outside of
 * the running functions, these are taken to return to functions of the slice.
 */
void landing_restored(uint64_t from, uint64_t until);

/*
 * Notes that bytes with trampolines were copied, but so few that they may be
 * data. A later jump to this range shows that they were a stack.
 */
void landing_perhaps_restored(uint64_t at, uint64_t bytes);

/*
 * landing_slice_end() returns the end of the restored slice in which the thread
 * is landing, or 0. landing_forget_slice() forgets it after the landing.
 */
uint64_t landing_slice_end(uint64_t stack);
void landing_forget_slice(uint64_t stack);

/*
 * Prepares a landing, in the function that contains pc, that takes place when
 * the functions that the unwinder has called have returned: each of them then
 * restores the id of the landing instead of its caller's id. `unwinder` is the
 * code of the unwinder; the range is empty if it is unknown.
 */
void landing_prepare(uint64_t stack, uint64_t pc,
		     const struct pc_range *unwinder);

/*
 * Handlers of probes. landing_on_leap() is called before an instruction that
 * jumps to another frame, where the stack pointer will be `stack`; sp leads to
 * the pc of the jump (stubs/probe.h). landing_on_set_ip() is called when the
 * _Unwind_SetIP() of a libgcc that is linked into a module begins: its argument
 * says where an unwinder will land.
 */
struct _Unwind_Context;
void landing_on_leap(uint64_t stack, uint64_t sp);
void landing_on_set_ip(const struct _Unwind_Context *context);

/*
 * Called by clew's _Unwind_RaiseException (raise.S), whose return address is at
 * sp. Returns the address of the unwinder's own function.
 */
struct _Unwind_Exception;
void *landing_raise(const struct _Unwind_Exception *exception, uint64_t sp);

/*
 * Read and set the id of the calling thread. These functions are for code that
 * may continue in another thread after a call, when a compiler may have kept
 * the address of the first thread's block.
 */
uint64_t landing_current_id(void);
void landing_set_id(uint64_t id);

#endif
