/* SPDX-License-Identifier: MIT */
/* See preload/patch/trap.h. */
#include "preload/patch/trap.h"

#include <stddef.h>
#include <ucontext.h>

#include "preload/hot/runtime.h"
#include "preload/hot/thread_block.h"
#include "preload/lookup/patches.h"
#include "preload/patch/quiesce.h"
#include "preload/sys/chained.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/proc.h"
#include "preload/sys/sys.h"
#include "preload/time/ticks.h"
#include "wire/attachment.h"

static void on_trap(int signal, siginfo_t *info, void *context);

/* libc uses signals 32 and 33, and musl 34 also */
#define LIBC_SIGNALS (UINT64_C(7) << 31)
#define SENT_BY_PERF 6 /* TRAP_PERF of <asm-generic/siginfo.h> */
/* First bytes of a siginfo_t, with all fields of the signals that are held. */
#define INFO_BYTES 40

/*
 * A SIGTRAP that is held until the program unblocks it. The signal counts only
 * while `sent_in` is the present header, so a forked child does not inherit it.
 * Protected by trap.chained.lock.
 */
struct kept_trap {
	/* rt.header when the signal was sent; NULL: no signal is held */
	const struct wire_header *_Atomic sent_in;
	uint8_t info[INFO_BYTES];
};

static struct {
	struct chained chained;
	struct kept_trap kept; /* a signal that was sent to the process */
} trap = {
	.chained = { .place = CHAINED_TRAP,
		     .signal = SIGTRAP,
		     .handler = on_trap,
		     .mask = ~UINT64_C(0) },
};

/* Data of the calling thread about SIGTRAP. */
static _Thread_local struct {
	/*
	 * How the thread has last set whether SIGTRAP is blocked. HANDLING: the
	 * program's SIGTRAP handler runs and has not changed the mask.
	 */
	enum {
		NOTHING = WIRE_ATTACH_BLOCKS_AS_OTHERS,
		BLOCKED = WIRE_ATTACH_BLOCKS,
		UNBLOCKED = WIRE_ATTACH_BLOCKS_NOT,
		HANDLING
	} mask_request;
	/* While HANDLING: the handler's frames are below this address. */
	uint64_t handler;
	struct kept_trap kept; /* a signal that was sent to the thread */
} own __attribute__((tls_model("initial-exec")));

/* ---- Requests of the program ---- */

int trap_is_possible(void)
{
	return !proc_is_traced();
}

int trap_install(void)
{
	return runtime_is_filtered() ? -EPERM : chained_install(&trap.chained);
}

void trap_recheck(void)
{
	chained_recheck(&trap.chained);
}

uint64_t trap_blocks_at(void)
{
	_Static_assert(sizeof(own.mask_request) == sizeof(uint32_t),
		       "on the wire");
	return (uintptr_t)&own.mask_request - thread_block();
}

uint32_t trap_mask_request(void)
{
	return own.mask_request;
}

void trap_restore_mask_request(uint32_t mask_request)
{
	own.mask_request = mask_request;
}

int trap_change_action(const struct sigaction *set, struct sigaction *old)
{
	return chained_change_action(&trap.chained, set, old);
}

/* ---- SIGTRAPs for the program ---- */

static int is_there(const struct kept_trap *kept)
{
	return kept->sent_in == rt.header;
}

/* Holds a signal. Like the kernel, holds only the first of a kind. */
static void keep(const siginfo_t *info)
{
	struct kept_trap *kept =
		info->si_code == SI_TKILL ? &own.kept : &trap.kept;
	uint64_t signals;

	lock_acquire(&trap.chained.lock, &signals);
	if (!is_there(kept))
		copy_bytes(kept->info, info, sizeof(kept->info));
	kept->sent_in = rt.header;
	lock_release(&trap.chained.lock, &signals);
}

static int take(struct kept_trap *kept, siginfo_t *info)
{
	uint64_t signals;
	int was_there;

	if (!is_there(kept))
		return 0;
	lock_acquire(&trap.chained.lock, &signals);
	was_there = is_there(kept);
	if (was_there) {
		fill_zero(info, sizeof(*info));
		copy_bytes(info, kept->info, sizeof(kept->info));
	}
	kept->sent_in = NULL;
	lock_release(&trap.chained.lock, &signals);
	return was_there;
}

/*
 * Called for a thread that does not block SIGTRAP. If a signal is held for it
 * or for the process, stores it in *info and returns true.
 */
static int take_kept(siginfo_t *info)
{
	return take(&own.kept, info) || take(&trap.kept, info);
}

static void send_kept(void)
{
	siginfo_t kept;

	while (take_kept(&kept))
		chained_send_again(SIGTRAP, &kept);
}

/*
 * Calls the program's handler as the kernel would: SIGTRAP is blocked meanwhile
 * if the action requires it, and the former mask is restored afterwards, unless
 * the handler has changed it in the context.
 */
static void call(const struct kernel_action *theirs, siginfo_t *info,
		 ucontext_t *context)
{
	uint64_t *const mask = &context->uc_sigmask.__val[0];
	struct kernel_action with_ours = *theirs;
	const int before = own.mask_request;

	if (!(theirs->flags & SA_NODEFER) || theirs->mask & TRAP_BIT) {
		own.handler = (uintptr_t)__builtin_frame_address(0);
		own.mask_request = HANDLING;
	}
	with_ours.mask |= ticks_kept_from(theirs->flags);
	chained_call(&with_ours, TRAP_BIT, SIGTRAP, info, context);
	own.mask_request = *mask & TRAP_BIT ? BLOCKED : before;
	*mask &= ~TRAP_BIT;
}

/*
 * Handles a SIGTRAP that is the program's, as the kernel would. If a breakpoint
 * instruction of the program has caused it and the program blocks or ignores
 * SIGTRAP, the signal must kill the process. The handler then sends the signal
 * again with the default action, and it arrives at the same pc when this
 * handler returns.
 */
static void pass_on(siginfo_t *info, ucontext_t *context)
{
	const int is_forced =
		info->si_code > 0 && info->si_code != SENT_BY_PERF;
	const int is_blocked = trap_is_blocked(context->uc_sigmask.__val[0]);
	struct kernel_action theirs;

	if (is_blocked && !is_forced) {
		keep(info);
		return;
	}
	theirs = chained_use_action(&trap.chained);
	if (theirs.handler == (uintptr_t)SIG_IGN && !is_forced)
		return;
	if (chained_is_function(&theirs) && !is_blocked) {
		call(&theirs, info, context);
		return;
	}
	chained_set_default(SIGTRAP);
	chained_send_again(SIGTRAP, info);
}

/*
 * Returns the address in the stub to which the breakpoint at pc leads, or 0 if
 * pc is no site.
 */
static uint64_t find_entry(uint64_t pc)
{
	const struct patch *patch =
		__atomic_load_n(&rt.patches->first, __ATOMIC_ACQUIRE);

	for (; patch; patch = patch->next) {
		const struct patch_site *site = patch_find(patch, pc);

		if (site)
			return patch->base + site->entry;
	}
	return 0;
}

static int is_on_stack(uint64_t sp, const stack_t *stack)
{
	return sp - (uintptr_t)stack->ss_sp < stack->ss_size;
}

/*
 * Returns whether the thread is still in the program's SIGTRAP handler, or in
 * other handlers that have interrupted it. A jump out of a handler that
 * restores no mask is not reported (trap_leave_handler()).
 */
static int is_handling(const ucontext_t *interrupted)
{
	const stack_t *alternate = &interrupted->uc_stack;
	const uint64_t sp = (uint64_t)interrupted->uc_mcontext.gregs[REG_RSP];

	return sp < own.handler || (is_on_stack(sp, alternate) &&
				    !is_on_stack(own.handler, alternate));
}

static void go_to_stub(uint64_t entry, greg_t *registers)
{
	registers[REG_RIP] = (greg_t)entry;
	atomic_fetch_add_explicit(&rt.header->trap_hits, 1,
				  memory_order_relaxed);
	quiesce_report_self(entry, (uint64_t)registers[REG_RSP]);
}

/*
 * All signals are blocked except in the program's handler, which never
 * interrupts itself: a signal that arrives meanwhile is held, and delivered
 * here afterwards.
 */
static void on_trap(int signal, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;
	greg_t *const registers = interrupted->uc_mcontext.gregs;
	uint64_t entry = 0;
	siginfo_t kept;

	if (own.mask_request == HANDLING && !is_handling(interrupted))
		own.mask_request = UNBLOCKED;
	if (info->si_code == SI_KERNEL)
		entry = find_entry((uint64_t)registers[REG_RIP] - 1);
	if (entry)
		go_to_stub(entry, registers);
	else
		pass_on(info, interrupted);
	while (!trap_is_blocked(interrupted->uc_sigmask.__val[0]) &&
	       take_kept(&kept))
		pass_on(&kept, interrupted);
}

/* ---- Whether the program blocks SIGTRAP ---- */

int trap_is_blocked(uint64_t mask)
{
	const uint64_t others = ~(TRAP_BIT | SIGNAL_BIT(SIGKILL) |
				  SIGNAL_BIT(SIGSTOP) | LIBC_SIGNALS);

	mask = ticks_put_back(mask);
	return own.mask_request == BLOCKED || own.mask_request == HANDLING ||
	       (own.mask_request == NOTHING && !(others & ~mask));
}

void trap_set_blocked(int is_blocked)
{
	if (!is_blocked) {
		own.mask_request = UNBLOCKED;
		send_kept();
	} else if (own.mask_request != HANDLING ||
		   (uintptr_t)__builtin_frame_address(0) >= own.handler) {
		own.mask_request = BLOCKED;
	}
}

/* ---- Jumps out of handlers ---- */

uint64_t trap_leave_handler(uint64_t stack)
{
	const uint64_t now = (uintptr_t)__builtin_frame_address(0);
	const uint64_t handler = own.handler;

	if (own.mask_request != HANDLING ||
	    (stack < handler && (stack >= now || now >= handler)))
		return 0;
	own.mask_request = UNBLOCKED;
	if (!runtime_is_filtered())
		send_kept();
	return handler;
}

void trap_return_to_handler(uint64_t handler)
{
	if (!handler)
		return;
	own.handler = handler;
	own.mask_request = HANDLING;
}

/* ---- exec ---- */

uint64_t trap_begin_exec(void)
{
	const uint64_t mask = signal_change_bits(SIG_BLOCK, 0);
	uint64_t missing = ticks_put_back(mask) & ~mask;

	if (trap.chained.is_installed && trap_is_blocked(mask))
		missing |= TRAP_BIT;
	if (missing)
		signal_change_bits(SIG_BLOCK, missing);
	return missing;
}

void trap_end_exec(uint64_t begun)
{
	if (begun)
		signal_change_bits(SIG_UNBLOCK, begun);
}

void trap_take_inherited_mask(void)
{
	uint64_t mask = signal_change_bits(SIG_UNBLOCK, TRAP_BIT);

	if (mask & TRAP_BIT && !trap_install())
		own.mask_request = BLOCKED;
}
