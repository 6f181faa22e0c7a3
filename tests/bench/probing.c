/* SPDX-License-Identifier: MIT */
/*
 * probing HOW COUNT: calls a function that has a location for a probe COUNT
 * times, and prints the ns per call.
 *
 *	wide		at `probing_wide`, with room for a jump
 *	narrow		at `probing_narrow`, where a breakpoint is needed
 *	stepped		the latter under a tracer, which steps over its breakpoint
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BREAKPOINT 0xccUL

long wide(long n, const char *text);
long narrow(long n, const char *text);
extern const char probing_narrow[];

/*
 * Both locations are behind the instructions that a hook displaces. A branch
 * leads to the instruction behind the narrow one.
 */
__asm__(".text\n"
	".globl wide\n"
	".type wide, @function\n"
	"wide:	.cfi_startproc\n"
	"	leaq	3(%rdi,%rdi,2), %rax\n"
	"	xorq	%rdi, %rax\n"
	".globl probing_wide\n"
	"probing_wide:\n"
	"	addq	$12345678, %rax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size wide, . - wide\n"
	".globl narrow\n"
	".type narrow, @function\n"
	"narrow: .cfi_startproc\n"
	"	leaq	3(%rdi,%rdi,2), %rax\n"
	"	xorq	%rdi, %rax\n"
	"	js	1f\n"
	".globl probing_narrow\n"
	"probing_narrow:\n"
	"	nop\n"
	"1:	ret\n"
	"	.cfi_endproc\n"
	".size narrow, . - narrow\n");

static double now_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static long calls(long (*function)(long, const char *), long count)
{
	long sum = 0;

	for (long i = 0; i < count; i++)
		sum += function(i & 255, "text");
	return sum;
}

static void step_over(pid_t pid, uint64_t pc, long code)
{
	struct user_regs_struct registers;
	int status;

	ptrace(PTRACE_GETREGS, pid, NULL, &registers);
	registers.rip = pc;
	ptrace(PTRACE_SETREGS, pid, NULL, &registers);
	ptrace(PTRACE_POKETEXT, pid, pc, code);
	ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
	waitpid(pid, &status, 0);
	ptrace(PTRACE_POKETEXT, pid, pc, (code & ~0xffL) | (long)BREAKPOINT);
}

/* Returns the ns per call in wall time, which includes the tracer's time. */
static double stepped(long count)
{
	const uint64_t pc = (uintptr_t)probing_narrow;
	double start;
	int status;
	pid_t pid = fork();
	long code;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(calls(narrow, count) == 1);
	}
	waitpid(pid, &status, 0);
	code = ptrace(PTRACE_PEEKTEXT, pid, pc, NULL);
	ptrace(PTRACE_POKETEXT, pid, pc, (code & ~0xffL) | (long)BREAKPOINT);
	start = now_ns(CLOCK_MONOTONIC);
	for (;;) {
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		waitpid(pid, &status, 0);
		if (!WIFSTOPPED(status))
			break;
		step_over(pid, pc, code);
	}
	return (now_ns(CLOCK_MONOTONIC) - start) / (double)count;
}

static double alone(const char *how, long count)
{
	const double start = now_ns(CLOCK_PROCESS_CPUTIME_ID);

	calls(strcmp(how, "wide") == 0 ? wide : narrow, count);
	return (now_ns(CLOCK_PROCESS_CPUTIME_ID) - start) / (double)count;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "wide";
	const long count = argc > 2 ? atol(argv[2]) : 1000000;

	printf("%.2f\n", strcmp(how, "stepped") == 0 ? stepped(count)
						     : alone(how, count));
	return 0;
}
