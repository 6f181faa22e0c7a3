/* SPDX-License-Identifier: MIT */
/* See chained.h. */
#include "preload/sys/chained.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/sys/sys.h"

/* The signals that clew handles or has handled; NULL: not yet. */
static struct chained *_Atomic known[CHAINED_PLACES];

static _Atomic int alternate_is_shared;

uint64_t chained_alternate_stacks(void)
{
	return alternate_is_shared ? 0 : SA_ONSTACK;
}

static void enter(struct chained *chained, uint64_t *signals)
{
	atomic_store(&known[chained->place], chained);
	lock_acquire(&chained->lock, signals);
}

void chained_after_fork(void)
{
	for (int i = 0; i < CHAINED_PLACES; i++) {
		struct chained *chained = atomic_load(&known[i]);

		if (chained)
			lock_forget(&chained->lock);
	}
}

/*
 * Installs clew's handler over the program's action. If the program has a
 * handler, clew's gets those flags of it that the program can notice: the
 * alternate stack, and whether system calls are restarted. If the program has
 * none, system calls are restarted.
 */
static int install_over(const struct chained *chained,
			const struct kernel_action *theirs)
{
	const uint64_t shaping = SA_ONSTACK | SA_RESTART;
	const uint64_t plain = chained_alternate_stacks() | SA_RESTART;
	struct kernel_action ours = {
		.handler = (uintptr_t)chained->handler,
		.flags = SA_SIGINFO | SA_NODEFER,
		.mask = chained->mask,
	};

	ours.flags |=
		chained_is_function(theirs) ? theirs->flags & shaping : plain;
	return signal_set_action(chained->signal, &ours, NULL);
}

int chained_install(struct chained *chained)
{
	uint64_t signals;
	int err = 0;

	enter(chained, &signals);
	if (!chained->is_installed) {
		err = signal_get_action(chained->signal, &chained->theirs);
		if (!err)
			err = install_over(chained, &chained->theirs);
		chained->is_installed = !err;
	}
	lock_release(&chained->lock, &signals);
	return err;
}

void chained_stop_alternate_stacks(int is_alone)
{
	uint64_t signals;

	if (atomic_exchange(&alternate_is_shared, 1))
		return;
	for (int i = 0; i < CHAINED_PLACES; i++) {
		struct chained *chained = atomic_load(&known[i]);

		if (!chained)
			continue;
		if (!is_alone)
			lock_acquire(&chained->lock, &signals);
		if (chained->is_installed)
			install_over(chained, &chained->theirs);
		if (!is_alone)
			lock_release(&chained->lock, &signals);
	}
}

void chained_recheck(struct chained *chained)
{
	struct kernel_action now;
	uint64_t signals;

	enter(chained, &signals);
	if (chained->is_installed &&
	    (signal_get_action(chained->signal, &now) ||
	     now.handler != (uintptr_t)chained->handler))
		chained->is_installed = 0;
	lock_release(&chained->lock, &signals);
}

void chained_give_back(struct chained *chained)
{
	chained->is_installed = 0;
	signal_set_action(chained->signal, &chained->theirs, NULL);
}

static void take_action(const struct sigaction *from, struct kernel_action *to)
{
	to->handler = (uintptr_t)from->sa_handler;
	to->flags = (uint32_t)from->sa_flags | SIGNAL_HAS_RETURN;
	to->signal_return = (uintptr_t)signal_return;
	to->mask = from->sa_mask.__val[0];
}

static void give_action(const struct kernel_action *from, struct sigaction *to)
{
	to->sa_handler = (__sighandler_t)from->handler;
	to->sa_flags = (int)from->flags;
	to->sa_mask.__val[0] = from->mask;
}

int chained_change_action(struct chained *chained, const struct sigaction *set,
			  struct sigaction *old)
{
	struct kernel_action theirs, former;
	uint64_t signals;
	int err = 0;

	/*
	 * outside of the lock, because these pointers of the program may be
	 * invalid
	 */
	if (set)
		take_action(set, &theirs);
	enter(chained, &signals);
	if (chained->is_installed)
		former = chained->theirs;
	else
		err = signal_get_action(chained->signal, &former);
	if (set && !err)
		err = chained->is_installed ? install_over(chained, &theirs)
					    : signal_set_action(chained->signal,
								&theirs, NULL);
	if (set && !err)
		chained->theirs = theirs;
	lock_release(&chained->lock, &signals);
	if (old && !err)
		give_action(&former, old);
	return err;
}

static int is_ignored(const struct chained *chained)
{
	return chained->is_installed &&
	       chained->theirs.handler == (uintptr_t)SIG_IGN;
}

/*
 * Returns whether the kernel may be told to ignore the signal. A fault that is
 * ignored kills the process.
 */
static int may_be_ignored(enum chained_place place)
{
	return place != CHAINED_TRAP && place < CHAINED_FAULTS;
}

/*
 * Makes the kernel ignore the signal, or installs clew's handler again. Does
 * nothing unless the program ignores the signal.
 */
static int set_ignored(struct chained *chained, int is_to_be)
{
	uint64_t signals;
	int was_set = 0;

	enter(chained, &signals);
	if (is_ignored(chained))
		was_set = !(is_to_be ? signal_set_action(chained->signal,
							 &chained->theirs, NULL)
				     : install_over(chained, &chained->theirs));
	lock_release(&chained->lock, &signals);
	return was_set;
}

uint32_t chained_ignore_for_exec(void)
{
	uint32_t ignored = 0;

	for (uint32_t i = 0; i < CHAINED_PLACES; i++) {
		struct chained *chained = atomic_load(&known[i]);

		if (chained && may_be_ignored(i) && is_ignored(chained) &&
		    set_ignored(chained, 1))
			ignored |= UINT32_C(1) << i;
	}
	return ignored;
}

void chained_handle_again(uint32_t ignored)
{
	for (uint32_t i = 0; i < CHAINED_PLACES; i++)
		if (ignored >> i & 1)
			set_ignored(atomic_load(&known[i]), 0);
}

struct kernel_action chained_use_action(struct chained *chained)
{
	struct kernel_action theirs;
	uint64_t signals;

	enter(chained, &signals);
	theirs = chained->theirs;
	if (chained_is_function(&theirs) && theirs.flags & SA_RESETHAND)
		chained->theirs.handler = (uintptr_t)SIG_DFL;
	lock_release(&chained->lock, &signals);
	return theirs;
}

void chained_call(const struct kernel_action *theirs, uint64_t open, int signal,
		  siginfo_t *info, ucontext_t *context)
{
	void (*const handler)(int, siginfo_t *, void *) =
		(void (*)(int, siginfo_t *, void *))theirs->handler;
	uint64_t mask = context->uc_sigmask.__val[0] | theirs->mask;

	if (!(theirs->flags & SA_NODEFER))
		mask |= SIGNAL_BIT(signal);
	signal_change_mask(mask & ~open);
	handler(signal, info, context);
	signal_change_mask(~UINT64_C(0));
}

void chained_send_again(int signal, siginfo_t *info)
{
	long pid = sys_call_anyway(SYS_getpid, 0, 0, 0, 0, 0, 0);
	long tid = sys_call_anyway(SYS_gettid, 0, 0, 0, 0, 0, 0);

	sys_call_anyway(SYS_rt_tgsigqueueinfo, pid, tid, signal, (long)info, 0,
			0);
}

void chained_set_default(int signal)
{
	const struct kernel_action none = { .handler = (uintptr_t)SIG_DFL };

	signal_set_action(signal, &none, NULL);
}
