/* SPDX-License-Identifier: MIT */
/*
 * leaves WHAT: functions that never call any, for which clew has special stubs,
 * and functions that only look like that.
 *
 *	counts		each is called a number of times, in three contexts
 *	loops N		one jumps back to its own start every second time
 *	faults N	one reads from address 0, N times; a handler jumps away
 *	backtraces	signals interrupt one; the handler checks which one runs
 *	works S		another calls one, which runs for S tenths of a second
 *	probes		each is called 1,000 times, in two contexts
 *
 * The functions are in assembly, so that each has exactly this form. The tests
 * read the beginning of lines: YES for leaves, NO for others.
 */
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define ASSEMBLY(name, code)                                                   \
	__asm__(".pushsection .text\n"                                         \
		".balign 16\n"                                                 \
		".globl " #name "\n"                                           \
		".type " #name ", @function\n" #name ":\n"                     \
		".cfi_startproc\n" code "\n.cfi_endproc\n"                     \
		".size " #name ", . - " #name "\n"                             \
		".popsection");                                                \
	long name(long)

#define YES(name, code) ASSEMBLY(yes_##name, code)
#define NO(name, code)  ASSEMBLY(no_##name, code)

/*
 * Each returns its argument plus one, except yes_reads, which returns the word
 * there plus one, and yes_works, which returns its argument.
 */
YES(adds, "leaq 1(%rdi), %rax; ret");
YES(loops, "movq %rdi, %rax; movl $3, %ecx; 1: decl %ecx; jnz 1b\n"
	   "leaq 1(%rax), %rax; ret");
YES(pushes_later, "leaq 1(%rdi), %rax; nopl 8(%rax); pushq %rax\n"
		  "popq %rax; ret");
YES(has_locals, "leaq 1(%rdi), %rax; nopl 8(%rax); subq $24, %rsp\n"
		"movq %rax, 8(%rsp); movq 8(%rsp), %rax; addq $24, %rsp; ret");
YES(uses_red_zone, "leaq 1(%rdi), %rax; nopl 8(%rax); movq %rax, -8(%rsp)\n"
		   "movq -8(%rsp), %rax; ret");
YES(may_trap, "leaq 1(%rdi), %rax; testq %rax, %rax; js 1f; ret; 1: ud2");
YES(has_two_ends, "leaq 1(%rdi), %rax; testb $1, %al; jz 1f; ret; 1: ret");
YES(reads_rsp, "leaq 1(%rdi), %rax; nopl 8(%rax); leaq 8(%rsp), %rcx; ret");
YES(relative, "leaq yes_adds(%rip), %rcx; leaq 1(%rdi), %rax; ret");
YES(reads, "movq (%rdi), %rax; addq $1, %rax; ret");
YES(works, "movq %rdi, %rax; nopl 8(%rax); 1: decq %rdi; jnz 1b; ret");

NO(calls, "pushq %rbx; call yes_adds; popq %rbx; ret");
NO(jumps, "movq %rdi, %rcx; nopl 8(%rax); jmp yes_adds");
NO(jumps_if, "leaq 1(%rdi), %rax; testq %rax, %rax; js yes_adds; ret");
NO(asks_kernel, "movl $39, %eax; syscall; leaq 1(%rdi), %rax; ret");
NO(goes_anywhere, "leaq 1(%rdi), %rax; leaq 1f(%rip), %rcx\n"
		  "notrack jmp *%rcx; 1: ret");
NO(pushes_first, "pushq %rdi; popq %rax; leaq 1(%rax), %rax; ret");
NO(leaves, "pushq %rbp; movq %rsp, %rbp; leaq 1(%rdi), %rax; leave; ret");
NO(loads_rsp, "leaq 1(%rdi), %rax; movq %rsp, %rdx; movq %rdx, %rsp; ret");
NO(aligns, "leaq 1(%rdi), %rax; movq %rsp, %rdx; andq $-16, %rsp\n"
	   "movq %rdx, %rsp; ret");
NO(begins_anew, "incq %rdi; nopl 8(%rax); movq %rdi, %rax; incb tries(%rip)\n"
		"testb $1, tries(%rip); jnz 1f; decq %rax; decq %rdi\n"
		"jmp no_begins_anew; 1: ret");
unsigned char tries = 1;

/* Switches: 0 to 3 use a table of distances, other values go to 9. */
#define TABLE(section, last)                                                   \
	"1: ret; 2: nop; ret; 3: movl $0x90909090, %ecx; ret; 9: ret\n"        \
	".pushsection " section "; .balign 4\n"                                \
	"8: .long 1b - 8b, 3b - 8b, 2b - 8b, " last " - 8b, 0\n"               \
	".popsection"
#define GO                                                                     \
	"leaq 8f(%rip), %rdx; movslq (%rdx,%rdi,4), %rcx\n"                    \
	"addq %rdx, %rcx; jmp *%rcx\n"
#define BOUND "leaq 1(%rdi), %rax; cmpl $3, %edi; ja 9f\n"

YES(switches, BOUND "movl %edi, %edi\n" GO TABLE(".rodata", "1b"));
YES(switches_by_a_byte, "leaq 1(%rdi), %rax; cmpb $3, %dil; ja 9f\n"
			"movzbl %dil, %edi\n" GO TABLE(".rodata", "1b"));
YES(switches_again, "leaq 1(%rdi), %rax; leaq 8f(%rip), %rdx; jmp 5f\n"
		    "1: movl $4, %edi; jmp 5f; 2: movl $0, %edi; jmp 5f\n"
		    "3: movl $2, %edi; 5: cmpl $3, %edi; ja 9f\n"
		    "movl %edi, %edi; movslq (%rdx,%rdi,4), %rcx\n"
		    "addq %rdx, %rcx; notrack jmp *%rcx; 9: ret\n"
		    ".pushsection .rodata; .balign 4\n"
		    "8: .long 1b - 8b, 3b - 8b, 2b - 8b, 1b - 8b\n"
		    ".popsection");

/*
 * An entry leads to another function, into an instruction, or beyond the table.
 */
NO(switches_to_others,
   BOUND "movl %edi, %edi\n" GO TABLE(".rodata", "yes_adds"));
NO(switches_into, BOUND "movl %edi, %edi\n" GO TABLE(".rodata", "3b + 1"));
NO(switches_too_far,
   "leaq 1(%rdi), %rax; cmpl $3, %edi; jg 9f\n"
   "cmpl $4, %edi; ja 9f; movl %edi, %edi\n" GO TABLE(".rodata", "1b"));
/* The table is writable, or the index is not compared, or only a part of it. */
NO(switches_by_data, BOUND "movl %edi, %edi\n" GO TABLE(".data", "1b"));
NO(switches_blindly,
   "leaq 1(%rdi), %rax; cmpl $3, %edi; jg 9f\n" GO TABLE(".rodata", "1b"));
NO(switches_by_half, BOUND GO TABLE(".rodata", "1b"));
NO(switches_around,
   "leaq 1(%rdi), %rax; testl %edi, %edi; je 5f\n"
   "cmpl $3, %edi; ja 9f; 5: movl %edi, %edi\n" GO TABLE(".rodata", "1b"));

#ifndef __PIC__
#define WORDS                                                                  \
	"1: ret; 2: nop; ret; 9: ret\n"                                        \
	".pushsection .rodata; .balign 8; 8: .quad 1b, 2b, 1b, 2b, 0\n"        \
	".popsection"
YES(switches_by_words, BOUND "movl %edi, %edi; jmp *8f(,%rdi,8)\n" WORDS);
YES(loads_words, BOUND "movl %edi, %edi; movq 8f(,%rdi,8), %rcx\n"
		       "jmp *%rcx\n" WORDS);
NO(has_no_fourth_word, "leaq 1(%rdi), %rax; cmpl $3, %edi; jg 9f\n"
		       "cmpl $4, %edi; ja 9f; movl %edi, %edi\n"
		       "jmp *8f(,%rdi,8)\n" WORDS);
#endif

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

/* As compilers create it: each case does something else. */
volatile long done[6];

KEPT long yes_is_compiled(long n)
{
	switch ((unsigned char)n) {
	case 0:
		done[0] += 7;
		break;
	case 1:
		done[1] ^= n;
		break;
	case 2:
		done[4] = done[2];
		break;
	case 3:
		done[3] -= 9;
		break;
	case 4:
		done[2] |= 6;
		break;
	case 5:
		done[5] = 1;
		break;
	}
	return n + 1;
}

typedef long (*function)(long);

static const function all[] = {
	yes_adds,
	yes_loops,
	yes_pushes_later,
	yes_has_locals,
	yes_uses_red_zone,
	yes_may_trap,
	yes_has_two_ends,
	yes_reads_rsp,
	yes_relative,
	no_calls,
	no_jumps,
	no_jumps_if,
	no_asks_kernel,
	no_goes_anywhere,
	no_pushes_first,
	no_leaves,
	no_loads_rsp,
	no_aligns,

	yes_switches,
	yes_switches_by_a_byte,
	yes_switches_again,
	no_switches_to_others,
	no_switches_into,
	no_switches_too_far,
	no_switches_by_data,
	no_switches_blindly,
	no_switches_by_half,
	no_switches_around,
	yes_is_compiled,
#ifndef __PIC__
	yes_switches_by_words,
	yes_loads_words,
	no_has_no_fourth_word,
#endif
};
#define COUNT (sizeof(all) / sizeof(*all))

static long errors;

KEPT void each(int times)
{
	for (size_t i = 0; i < COUNT; i++)
		for (volatile int n = 0; n < times; n++)
			errors += all[i](n) != n + 1;
}

KEPT long by_a_jump(long n)
{
	return no_jumps(n);
}

KEPT void *in_a_thread(void *nothing)
{
	each(10);
	return nothing;
}

/* On another stack. */
static ucontext_t here, there;

KEPT void coroutine(void)
{
	each(5);
}

KEPT void switches(void)
{
	static char stack[1 << 16];

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &here;
	makecontext(&there, coroutine, 0);
	swapcontext(&here, &there);
}

static int counts(void)
{
	pthread_t thread;

	each(100);
	pthread_create(&thread, NULL, in_a_thread, NULL);
	pthread_join(thread, NULL);
	switches();
	for (volatile int i = 0; i < 7; i++)
		errors += by_a_jump(i) != i + 1;
	return errors != 0;
}

KEPT void loops(int times)
{
	for (volatile int i = 0; i < times; i++)
		errors += no_begins_anew(i) != i + 1;
}

static sigjmp_buf before;

KEPT void on_fault(int signal)
{
	siglongjmp(before, 1);
}

KEPT void fault_once(void)
{
	if (!sigsetjmp(before, 1))
		errors += yes_reads(8);
}

static int faults(int times)
{
	signal(SIGSEGV, on_fault);
	for (volatile int i = 0; i < times; i++) {
		fault_once();
		errors += yes_adds(i) != i + 1;
	}
	return errors != 0;
}

/* ---- The running function ---- */

static volatile int seen;

static int is_in(const void *pc, function code, size_t bytes)
{
	return (uintptr_t)pc - (uintptr_t)code < bytes;
}

KEPT void work_for_it(void)
{
	for (int i = 0; i < 400 && seen < 20; i++)
		yes_works(1000000);
}

KEPT void on_alarm(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	const void *pc = (const void *)interrupted->uc_mcontext.gregs[REG_RIP];
	void *frames[64];
	int count, found = 0;

	if (!is_in(pc, yes_works, 32))
		return;
	count = backtrace(frames, 64);
	for (int i = 0; i < count; i++) {
		found |= is_in(frames[i], yes_works, 32);
		found |= 2 *
			 is_in(frames[i], (function)(void *)work_for_it, 256);
	}
	errors += found != 3;
	seen++;
}

static int backtraces(void)
{
	const struct sigaction action = { .sa_sigaction = on_alarm,
					  .sa_flags = SA_SIGINFO | SA_RESTART };
	const struct itimerspec often = { { 0, 2000000 }, { 0, 2000000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGALRM };
	void *first[1];
	timer_t timer;

	backtrace(first, 1); /* this loads its library */
	sigaction(SIGALRM, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		return 2;
	timer_settime(timer, 0, &often, NULL);
	work_for_it();
	timer_delete(timer);
	return errors || !seen;
}

/* ---- Time ---- */

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

KEPT void has_work_done(double seconds)
{
	const double until = cpu_seconds() + seconds;

	while (cpu_seconds() < until)
		yes_works(2000000);
}

/* ---- */

KEPT void probed_here(void)
{
	for (volatile int i = 0; i < 1000; i++)
		errors += yes_has_locals(i) != i + 1;
}

KEPT void probed_there(void)
{
	for (volatile int i = 0; i < 1000; i++)
		errors += yes_has_locals(i) != i + 1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const int number = argc > 2 ? atoi(argv[2]) : 1;
	int status = 0;

	if (!strcmp(what, "counts"))
		status = counts();
	if (!strcmp(what, "loops"))
		loops(number);
	if (!strcmp(what, "faults"))
		status = faults(number);
	if (!strcmp(what, "backtraces"))
		status = backtraces();
	if (!strcmp(what, "works"))
		has_work_done(0.1 * number);
	if (!strcmp(what, "probes")) {
		probed_here();
		probed_there();
	}
	printf("%s: %s\n", what, status || errors ? "wrong" : "done");
	return status || errors;
}
