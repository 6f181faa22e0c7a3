/* SPDX-License-Identifier: MIT */
/*
 * Fronts of the functions that jump: longjmp() and its variants, swapcontext(),
 * setcontext(), and the unwinder's _Unwind_RaiseException() and
 * _Unwind_SetIP().
 */
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <ucontext.h>
#include <unwind.h>

#include "libc/jump_buffer.h"
#include "preload/host/next.h"
#include "preload/hot/runtime.h"
#include "preload/hot/sink.h"
#include "preload/hot/thread.h"
#include "preload/patch/trap.h"
#include "preload/stack/heal.h"
#include "preload/stack/jump_places.h"
#include "preload/stack/landing.h"
#include "preload/stack/loans.h"
#include "preload/stack/starts.h"
#include "preload/stack/trampolines.h"
#include "preload/stack/unwind_context.h"
#include "preload/sys/sys.h"

void __longjmp_chk(struct __jmp_buf_tag env[1], int value)
	__attribute__((noreturn));

/*
 * Restores the signal mask before the jump. Pending signals may then arrive,
 * and their handlers run above the jumping function, whose frames still exist.
 * The thread must still have its id at that time. libc restores the mask again
 * without effect.
 */
static void restore_mask(const void *mask)
{
	if (!runtime_is_filtered())
		sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)mask, 0,
			 sizeof(uint64_t), 0, 0);
}

/*
 * The addresses of the last instructions of glibc's longjmp() and its variants,
 * which load the stack pointer and jump (leaps).
 */
#define LIBC_LEAPS 4

static _Atomic uint64_t libc_leaps[LIBC_LEAPS];

void landing_note_leap(uint64_t pc)
{
	if (!next_is_inside(&next.libc, pc))
		return;
	for (int i = 0; i < LIBC_LEAPS; i++) {
		uint64_t none = 0;

		if (atomic_compare_exchange_strong(&libc_leaps[i], &none, pc) ||
		    none == pc)
			return;
	}
}

/*
 * Returns whether probes report all jumps of glibc's longjmp(). The jumping
 * code begins with a REX prefix unless the jump to a probe has replaced it.
 */
static int is_announced(void)
{
	int watched = 0;

	for (int i = 0; i < LIBC_LEAPS; i++) {
		const uint64_t pc = atomic_load(&libc_leaps[i]);

		if (pc && (*(const volatile uint8_t *)pc & 0xf0) == 0x40)
			return 0;
		watched += pc != 0;
	}
	return watched && !runtime_is_filtered();
}

/*
 * If probes report glibc's jumps, stores the destination for landing_on_leap(),
 * which a probe will call. Otherwise changes the thread's id now.
 */
static void land_by(const struct __jmp_buf_tag *env)
{
	const uint64_t stack = jump_buffer_stack(env);
	const sigset_t *mask = jump_buffer_mask(env);
	uint64_t id;

	if (mask) {
		restore_mask(mask);
		trap_leave_handler(stack);
	}
	id = jump_places_find(env, stack);
	if (!is_announced()) {
		landing_at(stack, id);
		return;
	}
	hot.jump.stack = stack;
	/*
	 * This order of the stores matters because a signal handler may jump as
	 * well.
	 */
	atomic_signal_fence(memory_order_seq_cst);
	hot.jump.id = id;
}

#define JUMP(name)                                                             \
	EXPORT void name(struct __jmp_buf_tag env[1], int value)               \
	{                                                                      \
		land_by(env);                                                  \
		NEXT(name)(env, value);                                        \
		__builtin_unreachable();                                       \
	}

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)

static void leave_for_another(void)
{
	sink_switch_stack();
	sink_moved(0);
}

/*
 * libc's swapcontext() returns when some thread, perhaps another one, switches
 * back.
 */
EXPORT int swapcontext(ucontext_t *restrict from, const ucontext_t *restrict to)
{
	const uint64_t stack = (uint64_t)to->uc_mcontext.gregs[REG_RSP];
	const uint64_t handler = trap_leave_handler(stack);
	uint64_t id = landing_current_id();
	int result;

	starts_note(stack, (uint64_t)to->uc_mcontext.gregs[REG_RBX], id);
	trampolines_carry(__builtin_frame_address(0));
	leave_for_another();
	result = NEXT(swapcontext)(from, to);
	trap_return_to_handler(handler);
	landing_set_id(id);
	trampolines_settle_cheaply((uintptr_t)__builtin_frame_address(0));
	return result;
}

static void land_in(const ucontext_t *context)
{
	const uint64_t stack = (uint64_t)context->uc_mcontext.gregs[REG_RSP];

	restore_mask(&context->uc_sigmask);
	landing_at(stack, jump_places_find(context, stack));
}

EXPORT int setcontext(const ucontext_t *context)
{
	const greg_t *registers = context->uc_mcontext.gregs;

	trap_leave_handler((uint64_t)registers[REG_RSP]);
	if (!starts_note((uint64_t)registers[REG_RSP],
			 (uint64_t)registers[REG_RBX], landing_current_id()))
		land_in(context);
	else
		leave_for_another();
	return NEXT(setcontext)(context);
}

static _Unwind_Reason_Code no_unwinder(struct _Unwind_Exception *exception)
{
	return _URC_END_OF_STACK;
}

void *landing_raise(const struct _Unwind_Exception *exception, uint64_t sp)
{
	void *raise = NEXT(_Unwind_RaiseException);

	if (next._Unwind_GetGR)
		loans_make((uintptr_t)exception, sp);
	return raise ? raise : (void *)no_unwinder;
}

/*
 * The unwind information of stubs gives libgcc an odd CFA. Personality
 * routines, which use the CFA as an address, get the even value.
 */
EXPORT _Unwind_Word _Unwind_GetCFA(struct _Unwind_Context *context)
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);
	_Unwind_Word cfa;

	/*
	 * NULL means that no unwinder is loaded. The program's weak reference
	 * to _Unwind_GetCFA() was bound to this wrapper.
	 */
	if (!NEXT(_Unwind_GetCFA))
		return 0;
	cfa = NEXT(_Unwind_GetCFA)(context);
	if (next_is_inside(&next.unwinder, caller))
		return cfa;
	return unwind_even_cfa(cfa);
}

/*
 * A personality routine calls this when it has chosen the landing. The function
 * is identified by its start, because the landing pad may be in a separate cold
 * part.
 */
EXPORT void _Unwind_SetIP(struct _Unwind_Context *context, _Unwind_Ptr pc)
{
	const uint64_t cfa = _Unwind_GetCFA(context);

	if (!NEXT(_Unwind_SetIP))
		return;
	landing_prepare(cfa,
			NEXT(_Unwind_GetRegionStart)
				? NEXT(_Unwind_GetRegionStart)(context)
				: pc,
			&next.unwinder);
	if (hot.loans.borrower)
		loans_settle(
			NEXT(_Unwind_GetGR)(context, UNWIND_EXCEPTION_REGISTER),
			cfa);
	heal_cancel();
	NEXT(_Unwind_SetIP)(context, pc);
}
