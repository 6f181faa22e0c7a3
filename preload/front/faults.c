/* SPDX-License-Identifier: MIT */
/* See faults.h. */
#include "preload/front/faults.h"

#include <string.h>
#include <ucontext.h>

#include "preload/host/lookup.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/record/recorder.h"
#include "preload/sys/chained.h"
#include "preload/sys/signal_frame.h"
#include "preload/sys/sys.h"
#include "preload/sys/text.h"
#include "preload/time/ticks.h"
#include "wire/user_probe.h"

static void on_fault(int signal, siginfo_t *info, void *context);

#define FAULT(at, number)                                                      \
	{                                                                      \
		.place = (enum chained_place)(CHAINED_FAULTS + (at)),          \
		.signal = (number), .handler = on_fault, .mask = ~UINT64_C(0), \
	}

/*
 * clew's handlers of these signals. The first call of faults_begin() installs
 * them. Each is protected by its own lock.
 */
static struct {
	struct chained of[CHAINED_FAULTS_END - CHAINED_FAULTS];
} faults = {
	.of = { FAULT(0, SIGSEGV), FAULT(1, SIGBUS), FAULT(2, SIGILL),
		FAULT(3, SIGFPE) },
};

#define EACH_FAULT(f)                                                          \
	for (struct chained *f = faults.of;                                    \
	     f < faults.of + sizeof(faults.of) / sizeof(*faults.of); f++)

/*
 * Returns the signal's entry in the list of faults above. Returns NULL if the
 * signal is not in the list, or clew's handler for it is not installed.
 */
static struct chained *fault_of(int signal)
{
	EACH_FAULT(f)
		if (f->signal == signal && f->is_installed)
			return f;
	return NULL;
}

/* ---- Crashes ---- */

static void note_crash(int signal, const siginfo_t *info, uint64_t pc)
{
	const struct link_map *module = lookup_module(pc);
	const char *name = module ? text_file_name(module->l_name) : "";
	const uint64_t text_bytes = strlen(name);
	const uint64_t bytes = sizeof(struct wire_handler_crash) +
			       ((text_bytes + 7) & ~UINT64_C(7));
	struct wire_handler_crash *crash;
	struct chunk chunk;

	if (part_alloc(&rt.recorder->part, WIRE_HANDLER_CRASH, 0, bytes,
		       &chunk))
		return;
	crash = chunk_payload(&chunk);
	*crash = (struct wire_handler_crash){
		.bytes = (uint32_t)bytes,
		.text_bytes = (uint32_t)text_bytes,
		.vaddr = module ? pc - module->l_addr : pc,
		.address = (uintptr_t)info->si_addr,
		.tid = (uint32_t)sys_gettid(),
		.probe = (uint16_t)hot.handler.probe,
		.signal = (uint8_t)signal,
	};
	memcpy(crash + 1, name, text_bytes);
	atomic_store_explicit(&chunk.head->used, bytes, memory_order_release);
}

/*
 * Returns whether the kernel has raised the signal for a fault, and no process
 * has sent it.
 */
static int is_forced(const siginfo_t *info)
{
	return info->si_code > 0;
}

/*
 * Passes the signal to the program as the kernel would. A fault can be neither
 * ignored nor blocked: if the program does so, the process must die. The
 * handler is then removed, and the instruction is executed again.
 */
static void pass_on(struct chained *fault, siginfo_t *info, ucontext_t *context)
{
	struct kernel_action theirs = chained_use_action(fault);

	theirs.mask |= ticks_kept_from(theirs.flags);
	if (chained_is_function(&theirs)) {
		chained_call(&theirs, 0, fault->signal, info, context);
		return;
	}
	if (theirs.handler == (uintptr_t)SIG_IGN && !is_forced(info))
		return;
	chained_set_default(fault->signal);
	if (!is_forced(info))
		chained_send_again(fault->signal, info);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	ucontext_t *const interrupted = context;
	struct chained *fault = fault_of(signal);

	if (hot.handler.frame && is_forced(info) && rt.recorder)
		note_crash(signal, info, signal_frame_pc(interrupted));
	if (fault)
		pass_on(fault, info, interrupted);
}

/* ---- Requests of the program ---- */

void faults_begin(void)
{
	EACH_FAULT(f)
		if (!runtime_is_filtered())
			chained_install(f);
}

int faults_have(int signal)
{
	return fault_of(signal) != NULL;
}

int faults_change_action(int signal, const struct sigaction *set,
			 struct sigaction *old)
{
	return chained_change_action(fault_of(signal), set, old);
}

void faults_end(void)
{
	EACH_FAULT(f)
		if (f->is_installed)
			chained_give_back(f);
}
