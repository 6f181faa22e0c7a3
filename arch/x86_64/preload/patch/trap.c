/* SPDX-License-Identifier: MIT */
#include "preload/patch/trap.h"

#include <stddef.h>
#include <ucontext.h>

#include "preload/hot/runtime.h"
#include "preload/patch/patches.h"
#include "preload/patch/quiesce.h"
#include "preload/sys/chained.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/proc.h"
#include "preload/sys/sys.h"
#include "preload/time/ticks.h"

static void on_trap(int signal, siginfo_t *info, void *context);

static struct {
	struct chained chained;
	siginfo_t kept;           /* under chained.lock */
	_Atomic uint32_t is_kept; /* a SIGTRAP waits to be unblocked */
} trap = {
	.chained = { .place = CHAINED_TRAP,
		     .signal = SIGTRAP,
		     .handler = on_trap,
		     .mask = ~TRAP_BIT },
};

/* What the thread said last. */
static _Thread_local enum {
	NOTHING,
	BLOCKED,
	UNBLOCKED
} said __attribute__((tls_model("initial-exec")));

#define NSIG_LIBC_FIRST 32 /* libc keeps two signals for itself */

/* ---- What the program says ---- */

int trap_is_possible(void)
{
	return !proc_is_traced();
}

int trap_install(void)
{
	return runtime_is_filtered() ? -EPERM : chained_install(&trap.chained);
}

int trap_change_action(const struct sigaction *set, struct sigaction *old)
{
	return chained_change_action(&trap.chained, set, old);
}

/* ---- SIGTRAPs that are the program's ---- */

/* Like the kernel, which keeps one of a kind. */
static void keep(const siginfo_t *info)
{
	uint64_t signals;

	lock_acquire(&trap.chained.lock, &signals);
	copy_bytes(&trap.kept, info, sizeof(*info));
	atomic_store(&trap.is_kept, 1);
	lock_release(&trap.chained.lock, &signals);
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
	theirs = chained_use_action(&trap.chained);
	if (theirs.handler == (uintptr_t)SIG_IGN && !is_forced)
		return;
	if (chained_is_function(&theirs) && !is_blocked) {
		chained_call(&theirs, TRAP_BIT, SIGTRAP, info, context);
		return;
	}
	chained_set_default(SIGTRAP);
	chained_send_again(SIGTRAP, info);
}

static const struct patch_site *find_site(uint64_t pc)
{
	const struct patch *patch =
		__atomic_load_n(&rt.patches->first, __ATOMIC_ACQUIRE);
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
	registers[REG_RIP] = (greg_t)site->entry;
	atomic_fetch_add_explicit(&rt.header->trap_hits, 1,
				  memory_order_relaxed);
	quiesce_report_self(site->entry, (uint64_t)registers[REG_RSP]);
}

/* ---- Blocked? ---- */

int trap_is_blocked(uint64_t mask)
{
	const uint64_t others =
		~(TRAP_BIT | SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP) |
		  UINT64_C(3) << (NSIG_LIBC_FIRST - 1));

	mask = ticks_put_back(mask);
	return said == BLOCKED || (said == NOTHING && !(others & ~mask));
}

void trap_set_blocked(int is_blocked)
{
	siginfo_t kept;
	uint64_t signals;

	said = is_blocked ? BLOCKED : UNBLOCKED;
	if (is_blocked || !atomic_exchange(&trap.is_kept, 0))
		return;
	lock_acquire(&trap.chained.lock, &signals);
	copy_bytes(&kept, &trap.kept, sizeof(kept));
	lock_release(&trap.chained.lock, &signals);
	chained_send_again(SIGTRAP, &kept);
}

/* In the kernel's mask. Returns what that was. */
static uint64_t change_bit(int how, uint64_t bit)
{
	uint64_t mask = 0;

	sys_call(SYS_rt_sigprocmask, how, (long)&bit, (long)&mask, sizeof(mask),
		 0, 0);
	return mask;
}

uint64_t trap_begin_exec(void)
{
	const uint64_t mask = change_bit(SIG_BLOCK, 0);
	uint64_t missing = ticks_put_back(mask) & ~mask;

	if (trap.chained.is_installed && trap_is_blocked(mask))
		missing |= TRAP_BIT;
	if (missing)
		change_bit(SIG_BLOCK, missing);
	return missing;
}

void trap_end_exec(uint64_t begun)
{
	if (begun)
		change_bit(SIG_UNBLOCK, begun);
}

void trap_take_inherited_mask(void)
{
	uint64_t mask = change_bit(SIG_UNBLOCK, TRAP_BIT);

	if (mask & TRAP_BIT && !trap_install())
		said = BLOCKED;
}
