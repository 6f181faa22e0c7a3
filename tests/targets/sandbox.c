/* SPDX-License-Identifier: MIT */
/*
 * sandbox none|strict|kill|errno|syscall|refused|twice|fork|thread|many|vfork:
 * works, filters its own system calls, and works on. Any other call than those
 * that the filters below allow kills the process, or fails.
 *
 * `none` has no filter and can write its truth; the counted calls of `strict`,
 * `kill`, `errno`, `syscall`, `refused` and `twice` are the same. `twice`
 * requests strict mode behind a filter, which is refused. `fork` and `thread`
 * continue in a child or thread that is created behind the filter. `many` works
 * in more contexts than clew can have prepared for, and prints the number of
 * calls. `vfork` makes as many after a child that was filtered, and is not
 * filtered itself.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define ALLOW(number)                                                          \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                     \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define LOAD_NUMBER                                                            \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))

static struct sock_filter kill_filter[] = {
	LOAD_NUMBER,
	ALLOW(SYS_write),
	ALLOW(SYS_exit_group),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

static struct sock_filter errno_filter[] = {
	LOAD_NUMBER,
	ALLOW(SYS_write),
	ALLOW(SYS_exit_group),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
};

/* The system calls that glibc needs to create a thread or a process. */
static struct sock_filter children_filter[] = {
	LOAD_NUMBER,
	ALLOW(SYS_write),
	ALLOW(SYS_exit_group),
	ALLOW(SYS_exit),
	ALLOW(SYS_clone),
	ALLOW(SYS_clone3),
	ALLOW(SYS_wait4),
	ALLOW(SYS_set_robust_list),
	ALLOW(SYS_rseq),
	ALLOW(SYS_mmap),
	ALLOW(SYS_mprotect),
	ALLOW(SYS_munmap),
	ALLOW(SYS_futex),
	ALLOW(SYS_brk),
	ALLOW(SYS_rt_sigprocmask),
	ALLOW(SYS_rt_sigaction),
	ALLOW(SYS_madvise),
	ALLOW(SYS_getrandom),
	ALLOW(SYS_gettid),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

static struct sock_filter open_filter[] = {
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

#define PROGRAM(filter)                                                        \
	((struct sock_fprog){ sizeof(filter) / sizeof(*(filter)), filter })

static COUNTED int leaf(int n)
{
	ENTER(leaf);
	n ^= n >> 3;
	LEAVE();
	return n;
}

static COUNTED int work(int n)
{
	ENTER(work);
	volatile int sum = leaf(n); /* or the recursion becomes a loop */

	if (n > 0)
		sum += work(n - 1) + n;
	LEAVE();
	return sum;
}

/* Works in new contexts. A context is recorded after its first call. */
static COUNTED int more_work(int n)
{
	ENTER(more_work);
	for (int i = 0; i < 3; i++)
		n += work(300);
	LEAVE();
	return n;
}

static uint64_t made; /* number of calls of grow(), grow_left() and leaf() */

/*
 * Makes a context for each path through a tree; volatile prevents tail calls.
 */
static COUNTED int grow(int depth)
{
	volatile int sum = 0;

	made++;
	if (depth) {
		sum += grow(depth - 1);
		sum += leaf(depth) + grow(depth - 1);
		sum += leaf(depth) + grow(depth - 1);
		made += 2;
	}
	return sum;
}

static COUNTED int grow_left(int depth)
{
	volatile int sum = grow(3);

	made++;
	if (depth)
		sum += grow_left(depth - 1);
	return sum;
}

static COUNTED void *in_thread(void *unused)
{
	work(10);
	return unused;
}

TRUTH_INLINE void in_new_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, in_thread, NULL))
		puts("no thread");
	else
		pthread_join(thread, NULL);
}

TRUTH_INLINE void in_new_process(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		in_thread(NULL);
		_exit(3);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 3 << 8)
		puts("no child");
}

TRUTH_INLINE int filter_by(struct sock_fprog program)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

TRUTH_INLINE int enter_sandbox(const char *mode)
{
	struct sock_fprog killing = PROGRAM(kill_filter);

	if (!strcmp(mode, "none"))
		return 0;
	if (!strcmp(mode, "strict"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	if (!strcmp(mode, "refused"))
		return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL);
	if (!strcmp(mode, "twice"))
		return filter_by(PROGRAM(open_filter)) ||
		       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) ||
		       errno != EINVAL ||
		       !syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0,
				NULL) ||
		       errno != EINVAL;
	if (!strcmp(mode, "kill") || !strcmp(mode, "many"))
		return filter_by(killing);
	if (!strcmp(mode, "errno"))
		return filter_by(PROGRAM(errno_filter));
	if (!strcmp(mode, "syscall"))
		return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0,
				    &killing);
	return filter_by(PROGRAM(children_filter));
}

static __attribute__((noinline)) int filter_child(void)
{
	int status;
	pid_t pid = vfork();

	if (!pid)
		_exit(enter_sandbox("errno") ? 1 : 3);
	return pid < 0 || waitpid(pid, &status, 0) != pid || status != 3 << 8;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	char line[64];
	int length, result;

	ENTER(main);
	result = work(20);
	if (!strcmp(mode, "vfork") ? filter_child() : enter_sandbox(mode))
		return 1;
	result += work(30) + more_work(1);
	if (!strcmp(mode, "fork"))
		in_new_process();
	if (!strcmp(mode, "thread"))
		in_new_thread();
	if (!strcmp(mode, "many") || !strcmp(mode, "vfork"))
		for (int i = 0; i < 2; i++)
			result += grow_left(12000);
	LEAVE();
	length = snprintf(line, sizeof(line), "%d %llu\n", result,
			  (unsigned long long)made);
	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		return 1;
	if (!strcmp(mode, "strict"))
		syscall(SYS_exit, 0);
	if (!strcmp(mode, "none"))
		truth_write();
	return 0;
}
