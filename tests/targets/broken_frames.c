/* SPDX-License-Identifier: MIT */
/*
 * backtrace() reads a frame with wrong unwind information and faults. The
 * handler of SIGSEGV jumps out of it. Functions that use the same part of the
 * stack afterwards must be counted in their contexts.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>

#define FRAMES 64
#define DEPTH  400

/*
 * Calls a function from a frame whose unwind information is wrong: it says that
 * the frame ends at address 32, which is not mapped.
 */
void call_from_broken_frame(void (*function)(void));
__asm__(".text\n"
	"call_from_broken_frame:\n"
	"	.cfi_startproc\n"
	"	pushq	%rbx\n"
	"	movl	$16, %ebx\n"
	"	.cfi_def_cfa rbx, 16\n"
	"	call	*%rdi\n"
	"	popq	%rbx\n"
	"	.cfi_def_cfa rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n");

static sigjmp_buf before;
static volatile sig_atomic_t faults;

static COUNTED void take_backtrace(void)
{
	void *frames[FRAMES];

	ENTER(take_backtrace);
	backtrace(frames, FRAMES);
	LEAVE();
}

static COUNTED void on_fault(int signal)
{
	ENTER(on_fault);
	faults++;
	siglongjmp(before, signal);
}

static COUNTED int even(int n);

static COUNTED int odd(int n)
{
	ENTER(odd);
	n = n ? even(n - 1) + 1 : 0;
	LEAVE();
	return n;
}

static COUNTED int even(int n)
{
	ENTER(even);
	n = n ? odd(n - 1) + 1 : 0;
	LEAVE();
	return n;
}

static COUNTED void fail(void)
{
	volatile uint32_t here;

	ENTER(fail);
	here = TRUTH_HERE;
	if (!sigsetjmp(before, 1))
		call_from_broken_frame(take_backtrace);
	TRUTH_HERE = here;
	LEAVE();
}

int main(void)
{
	ENTER(main);
	LEAVE_OUT(call_from_broken_frame);
	signal(SIGSEGV, on_fault);
	fail();
	printf("%d %d\n", (int)faults, odd(DEPTH));
	LEAVE();
	truth_write();
	return faults != 1;
}
