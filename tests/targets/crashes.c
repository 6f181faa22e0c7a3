/* SPDX-License-Identifier: MIT */
/*
 * Prints the stack that a handler of SIGSEGV sees, as programs do before they
 * end. The faults are at the very start of functions. Addresses in this
 * executable are printed relative to it, so the output with and without clew
 * must be the same. Prints the number of all frames, and the function of the
 * fault.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>
#include <unwind.h>

#define FRAMES 64

extern const char __executable_start[];
extern const char __etext[];

int reads_at_once(const int *at);
int reads_after_push(const int *at);
void calls_at_once(void);
void show(void);

static sigjmp_buf before;

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *frame,
				       void *count)
{
	++*(int *)count;
	return frame ? _URC_NO_REASON : _URC_END_OF_STACK;
}

void show(void)
{
	void *frames[FRAMES];
	int count = backtrace(frames, FRAMES), all = 0;

	_Unwind_Backtrace(count_frame, &all);
	for (int i = 0; i < count; i++) {
		const char *pc = frames[i];

		if (pc >= __executable_start && pc < __etext)
			printf(" %zx", (size_t)(pc - __executable_start));
	}
	printf(" of %d and %d\n", count, all);
}

static void show_function(const void *pc)
{
	Dl_info symbol, again;
	void *entry = NULL;

	if (dladdr(pc, &symbol) && dladdr1(pc, &again, &entry, RTLD_DL_SYMENT))
		printf("%s %s", symbol.dli_sname, again.dli_sname);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;

	(void)info;
	show_function((const void *)interrupted->uc_mcontext.gregs[REG_RIP]);
	show();
	siglongjmp(before, signal);
}

int main(void)
{
	int (*const reading[])(const int *) = { reads_at_once,
						reads_after_push };

	struct sigaction action = { .sa_flags = SA_SIGINFO };

	action.sa_sigaction = on_fault;
	sigaction(SIGSEGV, &action, NULL);
	for (volatile int i = 0; i < 4; i++)
		if (!sigsetjmp(before, 1))
			return reading[i / 2](NULL);
	calls_at_once();
	return 0;
}
