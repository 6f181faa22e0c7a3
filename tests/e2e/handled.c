/* SPDX-License-Identifier: MIT */
/*
 * handled HOW: a program whose calls are changed by handlers of probes. It
 * prints the effects:
 *
 *	calls N		the sum of plain(0) to plain(N - 1)
 *	vectors N	the same; also checks all vector registers and errno
 *	registers	the registers and flags after the location `spot`
 *	signals N	calls jumps() N times; a signal in the probe's handler
 *			leaves it by siglongjmp()
 *	segv		plain(7); handles SIGSEGV itself
 *	waits		calls for each line on standard input, in two threads
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALONE __attribute__((noipa))

ALONE long helper(long n);
ALONE long plain(long n);
ALONE long answers(long n);
ALONE long jumps(long n);
ALONE long outer(long n);
uint64_t spots(uint64_t *out);
uint64_t keeps(long n);

long helper(long n)
{
	__asm__ volatile("" : "+r"(n));
	return 3 * n;
}

long plain(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

long answers(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n & 1;
}

long outer(long n)
{
	return answers(n) + 0 * plain(n);
}

long jumps(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

/* clang-format off */
/* Stores all registers and the flags after `spot` in `out`. */
__asm__(".text\n"
	".globl spots\n"
	".type spots, @function\n"
	"spots:\n"
	".cfi_startproc\n"
	"	pushq %rbx; pushq %rbp; pushq %r12; pushq %r13\n"
	"	pushq %r14; pushq %r15\n"
	"	xorl %eax, %eax; movl %eax, %ebx; movl %eax, %ecx\n"
	"	movl %eax, %edx; movl %eax, %esi; movl %eax, %ebp\n"
	"	movl %eax, %r8d; movl %eax, %r9d; movl %eax, %r10d\n"
	"	movl %eax, %r11d; movl %eax, %r12d; movl %eax, %r13d\n"
	"	movl %eax, %r14d; movl %eax, %r15d; cmpl %eax, %eax\n"
	".globl spot\n"
	"spot:	leaq 0x12345678(%rax), %rax\n"
	"	pushfq\n"
	"	movq %rax, (%rdi); movq %rbx, 8(%rdi); movq %rcx, 16(%rdi)\n"
	"	movq %rdx, 24(%rdi); movq %rsi, 32(%rdi); movq %rbp, 40(%rdi)\n"
	"	movq %r8, 48(%rdi); movq %r9, 56(%rdi); movq %r10, 64(%rdi)\n"
	"	movq %r11, 72(%rdi); movq %r12, 80(%rdi); movq %r13, 88(%rdi)\n"
	"	movq %r14, 96(%rdi); movq %r15, 104(%rdi)\n"
	"	popq %rax\n"
	"	popq %r15; popq %r14; popq %r13; popq %r12; popq %rbp; popq %rbx\n"
	"	ret\n"
	".cfi_endproc\n"
	".size spots, . - spots\n");

/*
 * Fills ymm0 to ymm15 (or xmm) with different values, and st(0). Returns 0 if
 * they are unchanged after the call.
 */
__asm__(".text\n"
	".macro LOAD n\n"
	"	movq %rdi, %rax; addq $\\n, %rax; vmovq %rax, %xmm\\n\n"
	"	vpunpcklqdq %xmm\\n, %xmm\\n, %xmm\\n\n"
	"	vinsertf128 $1, %xmm\\n, %ymm\\n, %ymm\\n\n"
	".endm\n"
	".macro LOOK n\n"
	"	vmovdqu %ymm\\n, -32(%rsp)\n"
	"	movq %rdi, %rdx; addq $\\n, %rdx\n"
	"	xorq -32(%rsp), %rdx; orq %rdx, %rax\n"
	"	movq %rdi, %rdx; addq $\\n, %rdx\n"
	"	xorq -8(%rsp), %rdx; orq %rdx, %rax\n"
	".endm\n"
	".globl keeps\n"
	".type keeps, @function\n"
	"keeps:\n"
	".cfi_startproc\n"
	"	LOAD 0; LOAD 1; LOAD 2; LOAD 3; LOAD 4; LOAD 5; LOAD 6; LOAD 7\n"
	"	LOAD 8; LOAD 9; LOAD 10; LOAD 11; LOAD 12; LOAD 13; LOAD 14\n"
	"	LOAD 15\n"
	"	fldpi; fldpi; fldpi; fldpi; fldpi; fldpi; fldpi; fldpi\n"
	"	movq %rdi, -64(%rsp); movq $77, -128(%rsp)\n"
	".globl kept\n"
	"kept:	leaq 0x12345678(%rax), %rax\n"
	"	xorl %eax, %eax\n"
	"	LOOK 0; LOOK 1; LOOK 2; LOOK 3; LOOK 4; LOOK 5; LOOK 6; LOOK 7\n"
	"	LOOK 8; LOOK 9; LOOK 10; LOOK 11; LOOK 12; LOOK 13; LOOK 14\n"
	"	LOOK 15\n"
	"	xorq -64(%rsp), %rdi; orq %rdi, %rax\n"
	"	movq -128(%rsp), %rdi; xorq $77, %rdi; orq %rdi, %rax\n"
	"	fldpi; fstpl -16(%rsp); movq -16(%rsp), %rcx\n"
	"	movl $7, %edi\n"
	"1:	fstpl -16(%rsp); movq -16(%rsp), %rdx\n"
	"	decl %edi; jnz 1b\n"
	"	fninit; vzeroupper\n"
	"	ret\n"
	".cfi_endproc\n"
	".size keeps, . - keeps\n");
/* clang-format on */

static sigjmp_buf out_of_handler;
static volatile sig_atomic_t caught;

static void on_signal(int signal)
{
	caught++;
	siglongjmp(out_of_handler, 1);
}

static void on_segv(int signal)
{
	static const char text[] = "caught\n";

	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		_exit(2);
	_exit(3);
}

static long calls(long count)
{
	long sum = 0;

	for (long i = 0; i < count; i++)
		sum += plain(i);
	return sum;
}

static void *thread(void *count)
{
	return (void *)calls((long)count);
}

static void registers(void)
{
	uint64_t out[14], flags = spots(out);

	for (int i = 0; i < 14; i++)
		printf("%lx ", (unsigned long)out[i]);
	printf("%lx\n", (unsigned long)flags & 0xcd5);
}

static void vectors(long count)
{
	uint64_t differences = 0;

	errno = 5;
	for (long i = 0; i < count; i++)
		differences |= keeps(i * 0x123456789abcdef);
	printf("%lx %d\n", (unsigned long)differences, errno);
}

static void signals(long count)
{
	volatile long sum = 0;

	signal(SIGUSR1, on_signal);
	for (volatile long i = 0; i < count; i++)
		if (sigsetjmp(out_of_handler, 1) == 0)
			sum += jumps(i);
	printf("%ld %d %ld\n", sum, (int)caught, calls(10));
}

static void waits(void)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		const long count = atol(line);
		pthread_t other;
		void *sum;

		pthread_create(&other, NULL, thread, (void *)count);
		printf("%ld", calls(count));
		pthread_join(other, &sum);
		printf(" %ld\n", (long)sum);
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "calls";
	const long count = argc > 2 ? atol(argv[2]) : 10;
	long sum = 0;

	if (strcmp(how, "calls") == 0)
		printf("%ld\n", calls(count));
	else if (strcmp(how, "vectors") == 0)
		vectors(count);
	else if (strcmp(how, "registers") == 0)
		registers();
	else if (strcmp(how, "signals") == 0)
		signals(count);
	else if (strcmp(how, "waits") == 0)
		waits();
	if (strcmp(how, "segv") == 0) {
		signal(SIGSEGV, on_segv);
		printf("%ld\n", plain(7));
	}
	if (strcmp(how, "answers") == 0) {
		for (long i = 0; i < count; i++)
			sum += outer(i);
		printf("%ld\n", sum);
	}
	return 0;
}
