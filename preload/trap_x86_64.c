/* SPDX-License-Identifier: MIT */
#include "preload/trap.h"

#include <stddef.h>
#include <ucontext.h>

#include "preload/cold.h"
#include "preload/hot/runtime.h"
#include "preload/proc.h"
#include "preload/quiesce.h"
#include "preload/signal_return.h"
#include "preload/sys.h"
#include "preload/text.h"

static struct {
	struct lock lock;
	uint32_t is_installed;       /* stored last, once */
	struct kernel_action theirs; /* the program's; under the lock */
	siginfo_t kept;              /* under the lock */
	_Atomic uint32_t is_kept;    /* a SIGTRAP waits to be unblocked */
} trap;

/* What the thread said last. */
static _Thread_local enum {
	NOTHING,
	BLOCKED,
	UNBLOCKED
} said __attribute__((tls_model("initial-exec")));

#define NSIG_LIBC_FIRST 32 /* libc keeps two signals for itself */
#define BIT(signal)     (UINT64_C(1) << ((signal)-1))

/* ---- What the program says ---- */

static int is_function(const struct kernel_action *action)
{
	return action->handler != (uintptr_t)SIG_DFL &&
	       action->handler != (uintptr_t)SIG_IGN;
}

static void on_trap(int signal, siginfo_t *info, void *context);

/*
 * Ours, shaped after the program's where that can be noticed: which stack its
 * handler runs on, and whether a system call is restarted behind it. Without
 * a handler of the program's there is nothing to restart for.
 */
static int install_over(const struct kernel_action *theirs)
{
	const uint64_t shaping = SA_ONSTACK | SA_RESTART;
	struct kernel_action ours = {
		.handler = (uintptr_t)on_trap,
		.flags = SA_SIGINFO | SA_NODEFER,
		.mask = ~TRAP_BIT,
	};

	ours.flags |= is_function(theirs) ? theirs->flags & shaping : shaping;
	return signal_set_action(SIGTRAP, &ours, NULL);
}

static void set_default(void)
{
	const struct kernel_action none = { .handler = (uintptr_t)SIG_DFL };

	signal_set_action(SIGTRAP, &none, NULL);
}

int trap_is_possible(void)
{
	return !proc_is_traced();
}

int trap_install(void)
{
	uint64_t signals;
	int err = 0;

	if (runtime_is_filtered())
		return -EPERM;
	lock_acquire(&trap.lock, &signals);
	if (!trap.is_installed) {
		err = signal_get_action(SIGTRAP, &trap.theirs);
		if (!err)
			err = install_over(&trap.theirs);
		trap.is_installed = !err;
	}
	lock_release(&trap.lock, &signals);
	return err;
}

static void take_action(const struct sigaction *from, struct kernel_action *to)
{
	to->handler = (uintptr_t)from->sa_handler;
	to->flags = (uint32_t)from->sa_flags | SIGNAL_HAS_RETURN;
	to->mask = from->sa_mask.__val[0];
}

static void give_action(const struct kernel_action *from, struct sigaction *to)
{
	to->sa_handler = (__sighandler_t)from->handler;
	to->sa_flags = (int)from->flags;
	to->sa_mask.__val[0] = from->mask;
}

int trap_change_action(const struct sigaction *set, struct sigaction *old)
{
	struct kernel_action theirs, former;
	uint64_t signals;
	int err = 0;

	if (set) /* outside of the lock: these may be bad pointers */
		take_action(set, &theirs);
	lock_acquire(&trap.lock, &signals);
	if (trap.is_installed)
		former = trap.theirs;
	else
		err = signal_get_action(SIGTRAP, &former);
	if (set && !err)
		err = trap.is_installed
			      ? install_over(&theirs)
			      : signal_set_action(SIGTRAP, &theirs, NULL);
	if (set && !err)
		trap.theirs = theirs;
	lock_release(&trap.lock, &signals);
	if (old && !err)
		give_action(&former, old);
	return err;
}

/* The program's, for one signal. */
static struct kernel_action use_action(void)
{
	struct kernel_action theirs;
	uint64_t signals;

	lock_acquire(&trap.lock, &signals);
	theirs = trap.theirs;
	if (is_function(&theirs) && theirs.flags & SA_RESETHAND)
		trap.theirs.handler = (uintptr_t)SIG_DFL;
	lock_release(&trap.lock, &signals);
	return theirs;
}

/* ---- SIGTRAPs that are the program's ---- */

static void send_again(siginfo_t *info)
{
	long pid = sys_call_anyway(SYS_getpid, 0, 0, 0, 0, 0, 0);
	long tid = sys_call_anyway(SYS_gettid, 0, 0, 0, 0, 0, 0);

	sys_call_anyway(SYS_rt_tgsigqueueinfo, pid, tid, SIGTRAP, (long)info, 0,
			0);
}

/* Like the kernel, which keeps one of a kind. */
static void keep(const siginfo_t *info)
{
	uint64_t signals;

	lock_acquire(&trap.lock, &signals);
	copy_bytes(&trap.kept, info, sizeof(*info));
	atomic_store(&trap.is_kept, 1);
	lock_release(&trap.lock, &signals);
}

/* With the signals blocked that the program wants blocked. */
static void call_handler(const struct kernel_action *theirs, siginfo_t *info,
			 ucontext_t *context)
{
	void (*const handler)(int, siginfo_t *, void *) =
		(void (*)(int, siginfo_t *, void *))theirs->handler;
	uint64_t mask = context->uc_sigmask.__val[0] | theirs->mask;

	mask &= ~TRAP_BIT;
	sys_restore_signals(&mask);
	handler(SIGTRAP, info, context);
	context->uc_sigmask.__val[0] &= ~TRAP_BIT;
}

/*
 * What the kernel would do. A breakpoint can be neither blocked nor ignored:
 * the process dies of it. To die, it is sent again, to the default action, and
 * arrives when we return, at the same pc.
 */
static void pass_on(siginfo_t *info, ucontext_t *context)
{
	const int is_forced = info->si_code > 0;
	const int is_blocked = trap_is_blocked(context->uc_sigmask.__val[0]);
	struct kernel_action theirs;

	if (is_blocked && !is_forced) {
		keep(info);
		return;
	}
	theirs = use_action();
	if (theirs.handler == (uintptr_t)SIG_IGN && !is_forced)
		return;
	if (is_function(&theirs) && !is_blocked) {
		call_handler(&theirs, info, context);
		return;
	}
	set_default();
	send_again(info);
}

static const struct patch_site *find_site(uint64_t pc)
{
	const struct patch *patch =
		__atomic_load_n(&rt.cold->patches, __ATOMIC_ACQUIRE);
	const struct patch_site *site = NULL;

	for (; patch && !site; patch = patch->next)
		site = patch_find(patch, pc);
	return site;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;
	greg_t *const registers = interrupted->uc_mcontext.gregs;
	const struct patch_site *site = NULL;

	if (info->si_code == SI_KERNEL)
		site = find_site((uint64_t)registers[REG_RIP] - 1);
	if (!site) {
		pass_on(info, interrupted);
		return;
	}
	registers[REG_RIP] = (greg_t)site->stub;
	atomic_fetch_add_explicit(&rt.header->trap_hits, 1,
				  memory_order_relaxed);
	quiesce_look_at_me(site->stub, (uint64_t)registers[REG_RSP]);
}

/* ---- Blocked? ---- */

int trap_is_blocked(uint64_t mask)
{
	const uint64_t others = ~(TRAP_BIT | BIT(SIGKILL) | BIT(SIGSTOP) |
				  UINT64_C(3) << (NSIG_LIBC_FIRST - 1));

	return said == BLOCKED || (said == NOTHING && !(others & ~mask));
}

void trap_set_blocked(int is_blocked)
{
	siginfo_t kept;
	uint64_t signals;

	said = is_blocked ? BLOCKED : UNBLOCKED;
	if (is_blocked || !atomic_exchange(&trap.is_kept, 0))
		return;
	lock_acquire(&trap.lock, &signals);
	copy_bytes(&kept, &trap.kept, sizeof(kept));
	lock_release(&trap.lock, &signals);
	send_again(&kept);
}

/* In the kernel's mask. Returns what that was. */
static uint64_t change_bit(int how, uint64_t bit)
{
	uint64_t mask = 0;

	sys_call(SYS_rt_sigprocmask, how, (long)&bit, (long)&mask, sizeof(mask),
		 0, 0);
	return mask;
}

int trap_begin_exec(void)
{
	if (!trap.is_installed || !trap_is_blocked(change_bit(SIG_BLOCK, 0)))
		return 0;
	change_bit(SIG_BLOCK, TRAP_BIT);
	return 1;
}

void trap_end_exec(int begun)
{
	if (begun)
		change_bit(SIG_UNBLOCK, TRAP_BIT);
}

void trap_take_inherited_mask(void)
{
	uint64_t mask = change_bit(SIG_UNBLOCK, TRAP_BIT);

	if (mask & TRAP_BIT && !trap_install())
		said = BLOCKED;
}
