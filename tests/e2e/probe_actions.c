/* SPDX-License-Identifier: MIT */
/*
 * A program for probes that record values of tell(). Its calls are the same in
 * each run: thread N (0 to 2) calls tell() with the numbers N, N + 3, ... below
 * COUNT. Some of the texts are at the end of a page that precedes unmapped
 * memory, and some of the pointers are invalid.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALONE   __attribute__((noipa))
#define COUNT   300
#define THREADS 3

struct pair {
	const char *text;
	int32_t first;
	unsigned char second;
};

static const char *texts[] = { "", "a word", "\"quoted\"\n", NULL,
			       (const char *)16 };

ALONE long tell(long number, const char *text, const struct pair *pair,
		unsigned char small);
ALONE long deep(long depth, long number);
/* Loads all registers from the list. A probe is hit at spot. */
void spots(const uint64_t *loaded);
extern const char spot[];

long tell(long number, const char *text, const struct pair *pair,
	  unsigned char small)
{
	__asm__ volatile("" : : "r"(text), "r"(small) : "memory");
	return pair ? number * 3 + pair->first : -1;
}

/* Contains nested regions. */
long deep(long depth, long number)
{
	long sum = number;

	if (depth)
		sum += deep(depth - 1, number);
	__asm__ volatile("" : "+r"(sum));
	return sum + 1;
}

/* clang-format off */
__asm__(".text\n"
	".globl spots\n"
	".type spots, @function\n"
	"spots:\n"
	".cfi_startproc\n"
	"	pushq %rbx; pushq %rbp; pushq %r12; pushq %r13\n"
	"	pushq %r14; pushq %r15\n"
	"	movq (%rdi), %rax; movq 8(%rdi), %rbx; movq 16(%rdi), %rcx\n"
	"	movq 24(%rdi), %rdx; movq 32(%rdi), %rsi; movq 48(%rdi), %rbp\n"
	"	movq 56(%rdi), %r8; movq 64(%rdi), %r9; movq 72(%rdi), %r10\n"
	"	movq 80(%rdi), %r11; movq 88(%rdi), %r12; movq 96(%rdi), %r13\n"
	"	movq 104(%rdi), %r14; movq 112(%rdi), %r15; movq 40(%rdi), %rdi\n"
	".globl spot\n"
	"spot:	movl $12345678, %eax\n"
	"	popq %r15; popq %r14; popq %r13; popq %r12; popq %rbp; popq %rbx\n"
	"	ret\n"
	".cfi_endproc\n"
	".size spots, . - spots\n");
/* clang-format on */

/* Returns a text without a terminating zero at the end of mapped memory. */
static char *edge(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(pages + page, page);
	memcpy(pages + page - 5, "edges", 5);
	return pages + page - 5;
}

static char *at_the_edge;

static void *thread(void *argument)
{
	const long first = (long)argument;
	long sum = 0;

	for (long i = first; i < COUNT; i += THREADS) {
		const long which = i % 6;
		const char *text = which < 5 ? texts[which] : at_the_edge;
		const struct pair pair = { text, (int32_t)-i,
					   (unsigned char)i };

		sum += tell(i, text, i % 10 ? &pair : NULL, (unsigned char)i);
		sum += deep(i % 4, i);
	}
	return (void *)sum;
}

static void on_signal(int signal)
{
	tell(signal, "handler", NULL, 1);
}

/*
 * From now on the kernel kills the process if it calls process_vm_readv(), also
 * for its own memory.
 */
static void filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { 4, code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		exit(77);
}

/*
 * After the main thread has ended, process_vm_readv() by pid finds no memory.
 */
static void *work_alone(void *main_thread)
{
	pthread_join(*(pthread_t *)main_thread, NULL);
	tell(2000, "alone", NULL, 3);
	exit(0);
	return NULL;
}

int main(int argc, char **argv)
{
	static pthread_t main_thread;
	uint64_t loaded[15];
	pthread_t threads[THREADS];
	long sum = 0;
	void *result;

	at_the_edge = edge();
	if (argc > 1 && !strcmp(argv[1], "filtered"))
		filter();
	if (argc > 1 && !strcmp(argv[1], "alone")) {
		main_thread = pthread_self();
		pthread_create(&threads[0], NULL, work_alone, &main_thread);
		pthread_exit(NULL);
	}
	if (argc > 1 && !strcmp(argv[1], "forks") && fork() == 0) {
		tell(1000, "child", NULL, 2);
		_exit(0);
	}
	if (argc > 1 && !strcmp(argv[1], "forks"))
		wait(NULL);
	if (argc > 1 && !strcmp(argv[1], "signals")) {
		signal(SIGUSR1, on_signal);
		for (int i = 0; i < 10; i++)
			raise(SIGUSR1);
	}
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		sum += (long)result;
	}
	for (uint64_t i = 0; i < 15; i++)
		loaded[i] = 0x1111111111111111 * (i + 1);
	spots(loaded);
	printf("%ld\n", sum);
	return 0;
}
