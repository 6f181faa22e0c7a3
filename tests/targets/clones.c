/* SPDX-License-Identifier: MIT */
/*
 * clones HOW: creates a process or thread in ways other than libc's fork() and
 * pthread_create(), works in it and beside it, and waits for its end.
 *
 *	fork, clone,	by syscall(); the child continues here
 *	clone3
 *	bare		by the instruction itself
 *	exits		the same; the child ends by exit() at once, and its
 *			parent continues in new contexts
 *	process		clone() into a function on another stack
 *	vfork		the same in shared memory while the parent sleeps
 *	thread		clone() with a copy of the thread-local storage
 *	shared		clone() with the caller's thread-local storage
 *	crowd N		the same N times at once; the last one stays
 *
 * In `shared` it is undefined which thread made a call while there are two;
 * COUNT() counts these calls, and ENTER() begins with a new root afterwards.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define STACK_BYTES (256 * 1024)
#define ROUNDS      5

/* Memory around a thread pointer: TLS below, libc's data above. */
#define TLS_BYTES    1536
#define LIBC_BYTES   2304
#define TCB_SELF     0
#define TCB_SELF_TOO 16
#define THREAD_FLAGS                                                           \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |    \
	 CLONE_SYSVSEM | CLONE_SETTLS | CLONE_CHILD_CLEARTID)

static COUNTED int work(int n)
{
	ENTER(work);
	volatile int sum = n;

	if (n > 0)
		sum += work(n - 1);
	LEAVE();
	return sum;
}

static void *new_stack(void)
{
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return stack == MAP_FAILED ? NULL : stack + STACK_BYTES;
}

TRUTH_INLINE void wait_for(long pid)
{
	int status = -1;

	if (pid < 0 || waitpid((pid_t)pid, &status, __WALL) != pid ||
	    status != 7 << 8)
		puts("no child");
}

/* ---- Separate processes ---- */

/* Works in a child, at first in contexts that the parent has recorded. */
static COUNTED void in_child(void)
{
	ENTER(in_child);
	for (int i = 0; i < ROUNDS; i++)
		work(3);
	work(10);
	LEAVE();
}

TRUTH_INLINE void leave_child(void)
{
	truth_write();
	_exit(7);
}

TRUTH_INLINE long fork_by_instruction(void)
{
	long pid;

	__asm__ volatile("syscall"
			 : "=a"(pid)
			 : "a"((long)SYS_fork)
			 : "rcx", "r11", "memory");
	return pid;
}

TRUTH_INLINE long fork_somehow(const char *how)
{
	struct clone_args arguments = { .exit_signal = SIGCHLD };

	if (!strcmp(how, "fork"))
		return syscall(SYS_fork);
	if (!strcmp(how, "clone"))
		return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!strcmp(how, "clone3"))
		return syscall(SYS_clone3, &arguments, sizeof(arguments));
	return fork_by_instruction();
}

static COUNTED void forks(const char *how)
{
	ENTER(forks);
	for (int i = 0; i < ROUNDS; i++) {
		in_child();
		long pid = fork_somehow(how);

		if (!pid) {
			TRUTH_FORKED();
			in_child();
			LEAVE();
			leave_child();
		}
		wait_for(pid);
	}
	LEAVE();
}

static COUNTED void exits(void)
{
	ENTER(exits);
	for (int i = 0; i < ROUNDS; i++) {
		long pid = fork_by_instruction();

		if (!pid)
			exit(7);
		wait_for(pid);
	}
	work(3000);
	LEAVE();
}

static COUNTED int child_main(void *unused)
{
	TRUTH_FORKED();
	ENTER(child_main);
	in_child();
	LEAVE();
	leave_child();
	return 0;
}

static COUNTED void processes(void)
{
	ENTER(processes);
	for (int i = 0; i < ROUNDS; i++) {
		in_child();
		wait_for(clone(child_main, new_stack(), SIGCHLD, NULL));
	}
	LEAVE();
}

/* ---- In shared memory ---- */

static COUNTED int vforked_main(void *unused)
{
	ENTER(vforked_main);
	work(4);
	_exit(7); /* from within a function that does not return */
}

static COUNTED void vforks(void)
{
	ENTER(vforks);
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t here = TRUTH_HERE;
		long pid = clone(vforked_main, new_stack(),
				 CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);

		TRUTH_HERE = here;
		work(i);
		wait_for(pid);
	}
	LEAVE();
}

static volatile uint32_t thread_lives;

static COUNTED int thread_main(void *unused)
{
	ENTER_ROOT(thread_main);
	for (int i = 0; i < 20000; i++)
		work(5);
	LEAVE();
	__asm__ volatile("syscall" /* this thread's TCB is not libc's */
			 :
			 : "a"((long)SYS_exit), "D"(0L)
			 : "rcx", "r11", "memory");
	return 0;
}

/* The copy also contains the truth's own variable. */
TRUTH_INLINE char *copy_of_own_tls(void)
{
	char *block = mmap(NULL, TLS_BYTES + LIBC_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *own, *copy = block + TLS_BYTES;

	__asm__("mov %%fs:0, %0" : "=r"(own)); /* the TCB's own address */
	memcpy(block, own - TLS_BYTES, TLS_BYTES + LIBC_BYTES);
	memcpy(copy + TCB_SELF, &copy, sizeof(copy));
	memcpy(copy + TCB_SELF_TOO, &copy, sizeof(copy));
	return copy;
}

static COUNTED void threads(void)
{
	ENTER(threads);
	for (int i = 0; i < ROUNDS; i++) {
		thread_lives = 1;
		if (clone(thread_main, new_stack(), THREAD_FLAGS, NULL, NULL,
			  copy_of_own_tls(), &thread_lives) < 0)
			puts("no thread");
		do
			work(6);
		while (thread_lives);
	}
	LEAVE();
}

static COUNTED int shared_work(int n)
{
	COUNT(shared_work);
	volatile int sum = n;

	if (n > 0)
		sum += shared_work(n - 1);
	return sum;
}

static volatile int stop;

static COUNTED int shared_main(void *unused)
{
	COUNT(shared_main);
	while (!stop)
		shared_work(5);
	return 7;
}

static COUNTED void after_sharing(void)
{
	ENTER_ROOT(after_sharing);
	work(5);
	LEAVE();
}

static COUNTED void share(void)
{
	COUNT(share);
	stop = 0;
	long pid = clone(shared_main, new_stack(), CLONE_VM | SIGCHLD, NULL);

	for (int i = 0; i < 20000; i++)
		shared_work(6);
	stop = 1;
	wait_for(pid);
	after_sharing();
}

static COUNTED void shares(void)
{
	COUNT(shares);
	for (int i = 0; i < ROUNDS; i++) {
		share();
		after_sharing();
	}
}

enum { CROWD_MAX = 64 };

static volatile int may_end, may_work;

static COUNTED int crowd_work(int n)
{
	COUNT(crowd_work);
	return n + 1;
}

/* Sets `stop` when all of its calls have been made. */
static COUNTED int crowd_main(void *is_last)
{
	volatile int sum __attribute__((unused)) = 0;

	if (!is_last) {
		while (!may_end)
			;
		return 7;
	}
	while (!may_work)
		;
	for (int i = 0; i < 20000; i++)
		sum += crowd_work(i);
	while (!stop)
		;
	return 7;
}

/* Two threads remain and call at once. */
static COUNTED void crowd(int count)
{
	long pids[CROWD_MAX];
	volatile int sum __attribute__((unused)) = 0;

	COUNT(crowd);
	for (int i = 0; i < count; i++)
		pids[i] = clone(crowd_main, new_stack(), CLONE_VM | SIGCHLD,
				i == count - 1 ? pids : NULL);
	may_end = 1;
	for (int i = 0; i < count - 1; i++)
		wait_for(pids[i]);
	may_work = 1;
	for (int i = 0; i < 20000; i++)
		sum += crowd_work(i);
	stop = 1;
	wait_for(pids[count - 1]);
	after_sharing();
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "shared")) {
		shares();
		after_sharing();
	} else if (!strcmp(how, "crowd")) {
		crowd(argc > 2 ? atoi(argv[2]) : 6);
		after_sharing();
	} else {
		ENTER(main);
		if (!strcmp(how, "exits"))
			exits();
		else if (!strcmp(how, "process"))
			processes();
		else if (!strcmp(how, "vfork"))
			vforks();
		else if (!strcmp(how, "thread"))
			threads();
		else
			forks(how);
		work(5);
		LEAVE();
	}
	puts("done");
	fflush(stdout);
	truth_write();
	return 0;
}
