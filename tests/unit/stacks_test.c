/* SPDX-License-Identifier: MIT */
#include "preload/patch/stacks.h"
#include "preload/sys/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "preload/sys/proc.h"
#include "preload/sys/proc_threads.h"
#include "preload/sys/signal_frame.h"
#include "tests/unit/unit.h"

static struct stacks stacks;
static char alternate[1 << 16];

/*
 * The pc and stack of the call that the outer of two handlers interrupted. The
 * inner handler looks for them.
 */
static uint64_t wanted_pc, wanted_word;
static int found_pcs, found_words, walk_error;

static int look(const void *context, uint64_t at, uint64_t word, int is_pc)
{
	found_pcs += is_pc && word == wanted_pc;
	found_words += !is_pc && word == wanted_word;
	return 0;
}

static void walk_from_here(int signal, siginfo_t *info, void *context)
{
	walk_error = stacks_init(&stacks);
	stacks_walk(&stacks, (uintptr_t)__builtin_frame_address(0), look, NULL);
}

static void interrupted(int signal, siginfo_t *info, void *context)
{
	wanted_pc =
		(uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	raise(SIGUSR2);
}

static void handle(int signal, void (*handler)(int, siginfo_t *, void *),
		   int flags)
{
	struct sigaction action = { .sa_sigaction = handler,
				    .sa_flags = SA_SIGINFO | flags };

	sigaction(signal, &action, NULL);
}

static void *raise_nested(void *unused)
{
	const stack_t stack = { .ss_sp = alternate,
				.ss_size = sizeof(alternate) };
	volatile uint64_t word = 0x5eed0fa11ab1e000 + (uint64_t)rand();

	wanted_word = word;
	sigaltstack(&stack, NULL);
	raise(SIGUSR1);
	return NULL;
}

/*
 * Uses a stack that was never written to. The kernel does not write parts of a
 * frame whose registers the processor reports as unused, so an earlier frame
 * would be found there again.
 */
static void find_nested(int outer_flags, int inner_flags)
{
	const size_t bytes = 1 << 18;
	void *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	pthread_t thread;

	assert_ptr_not_equal(stack, MAP_FAILED);
	memset(alternate, 0, sizeof(alternate));
	found_pcs = found_words = 0;
	handle(SIGUSR1, interrupted, outer_flags);
	handle(SIGUSR2, walk_from_here, inner_flags);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, bytes);
	pthread_create(&thread, &attributes, raise_nested, NULL);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
	munmap(stack, bytes);
	assert_int_equal(walk_error, 0);
	assert_int_equal(found_pcs, 2); /* both handlers interrupted raise() */
	assert_true(found_words > 0);
}

static void frames_of_signals_are_found_on_one_stack(void **state)
{
	find_nested(0, 0);
}

static void entry_to_an_alternate_stack_is_found(void **state)
{
	find_nested(0, SA_ONSTACK);
	find_nested(SA_ONSTACK, 0);
	find_nested(SA_ONSTACK, SA_ONSTACK);
}

static uint64_t left_context;

static void returns(int signal, siginfo_t *info, void *context)
{
	wanted_pc = signal_frame_pc(context);
	left_context = (uintptr_t)context;
}

static void tells_that_it_returns(int signal, siginfo_t *info, void *context)
{
	returns(signal, info, context);
	signal_frame_end(context);
}

/*
 * The handler's frame stays on the alternate stack, where nothing overwrites
 * it.
 */
static void leave_a_frame(void (*handler)(int, siginfo_t *, void *))
{
	const stack_t stack = { .ss_sp = alternate,
				.ss_size = sizeof(alternate) };

	memset(alternate, 0, sizeof(alternate));
	sigaltstack(&stack, NULL);
	handle(SIGUSR1, handler, SA_ONSTACK);
	raise(SIGUSR1);
	assert_int_equal(stacks_init(&stacks), 0);
}

static int pcs_found_from(uint64_t sp)
{
	found_pcs = 0;
	stacks_walk(&stacks, sp, look, NULL);
	return found_pcs;
}

static void a_handler_that_has_returned_is_told_from_one_that_is_about_to(
	void **state)
{
	leave_a_frame(returns);
	assert_int_equal(pcs_found_from(left_context - 4096), 1);
	leave_a_frame(tells_that_it_returns);
	assert_int_equal(pcs_found_from(left_context - 4096), 0);
	/* at its end and at its return address */
	assert_int_equal(pcs_found_from(left_context - 64), 1);
	assert_int_equal(pcs_found_from(left_context), 1);
	assert_int_equal(pcs_found_from(left_context + 8), 0);
}

/* { rsp, rip, eflags, segments }, as the kernel saves it */
#define FRAME_SEGMENTS UINT64_C(0x002b000000000033)

static void put_frame(uint64_t *context, uint64_t rsp, uint64_t rip,
		      uint64_t flags)
{
	greg_t *saved = ((ucontext_t *)context)->uc_mcontext.gregs;

	saved[REG_RSP] = (greg_t)rsp;
	saved[REG_RIP] = (greg_t)rip;
	saved[REG_EFL] = (greg_t)flags;
	saved[REG_CSGSFS] = (greg_t)FRAME_SEGMENTS;
}

static void one_that_was_interrupted_as_it_returned_counts(void **state)
{
	static uint64_t stack[4096];
	uint64_t *inner = stack + 256, *outer = stack + 2048;

	stacks.tid = gettid();
	stacks.count = 1;
	stacks.ranges[0] = (struct memory_range){ (uintptr_t)stack,
						  (uintptr_t)(stack + 4096) };
	wanted_pc = 0x1234;
	put_frame(inner, (uintptr_t)(outer - 8), 1, 0);
	put_frame(outer, (uintptr_t)(stack + 4000), wanted_pc,
		  SIGNAL_FRAME_IS_OVER);
	assert_int_equal(pcs_found_from((uintptr_t)stack), 1);
	put_frame(inner, (uintptr_t)(stack + 512), 1, 0);
	assert_int_equal(pcs_found_from((uintptr_t)stack), 0);
}

static uint64_t visited;

static int count_word(const void *context, uint64_t at, uint64_t word,
		      int is_pc)
{
	return ++visited > 1 << 20; /* 8 MiB, far more than expected */
}

static void stale_frame_words_lead_nowhere(void **state)
{
	const uint64_t stale[] = { 7, 0x1000, UINT64_C(0x100000000000) };
	const size_t vast_bytes = UINT64_C(8) << 40;
	void *vast = mmap((void *)UINT64_C(0x200000000000), vast_bytes,
			  PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				  MAP_FIXED_NOREPLACE,
			  -1, 0);
	uint64_t stack[512] = { 0 };

	if (vast == MAP_FAILED)
		skip();
	stacks.tid = gettid();
	stacks.count =
		0; /* in the order of addresses: the large range, then the test's */
	stacks.ranges[stacks.count++] =
		(struct memory_range){ (uintptr_t)vast,
				       (uintptr_t)vast + vast_bytes };
	stacks.ranges[stacks.count++] =
		(struct memory_range){ (uintptr_t)stack,
				       (uintptr_t)(stack + 512) };
	for (size_t i = 0; i < sizeof(stale) / sizeof(*stale); i++) {
		stack[8 * i] = stale[i];
		stack[8 * i + 3] = FRAME_SEGMENTS;
	}
	visited = 0;
	assert_int_equal(
		stacks_walk(&stacks, (uintptr_t)stack, count_word, NULL), 0);
	munmap(vast, vast_bytes);
}

/* Reads words before an unreadable page, in large and in small pieces. */
static void stack_is_read_up_to_an_unreadable_page(void **state)
{
	static uint64_t room[STACKS_ROOM_BYTES / 8];
	const size_t page = 4096, pages = 60, good = 37;
	char *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t *pieces[] = { NULL, room };

	assert_ptr_not_equal(memory, MAP_FAILED);
	mprotect(memory + good * page, page, PROT_NONE);
	stacks.tid = gettid();
	stacks.count = 1;
	stacks.ranges[0] =
		(struct memory_range){ (uintptr_t)memory,
				       (uintptr_t)memory + pages * page };
	for (size_t i = 0; i < 2; i++) {
		stacks.room = pieces[i];
		visited = 0;
		assert_int_equal(stacks_walk(&stacks, (uintptr_t)memory,
					     count_word, NULL),
				 0);
		assert_int_equal(visited, good * page / 8);
	}
	stacks.room = NULL;
	munmap(memory, pages * page);
}

static void unmapped_memory_is_not_read(void **state)
{
	uint64_t word = 1;

	assert_int_equal(sys_read_memory(4096, &word, sizeof(word)), -EFAULT);
	assert_int_equal(sys_read_memory((uintptr_t)&found_pcs, &word, 4), 0);
}

/* ---- proc.h ---- */

static int pipe_ends[2];
static _Atomic int thread_tid;

static void *reads(void *unused)
{
	sigset_t usr1;
	char byte;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	pthread_sigmask(SIG_SETMASK, &usr1, NULL);
	thread_tid = (int)syscall(SYS_gettid);
	return read(pipe_ends[0], &byte, 1) == 1 ? &pipe_ends : NULL;
}

static int count_it(void *context, int tid)
{
	*(int *)context += tid == thread_tid;
	return 0;
}

static void activity_of_a_sleeping_thread_stays_the_same(void **state)
{
	struct proc_activity activity = { 0 }, again;
	struct proc_text text;
	uint64_t mask, ticks, own_ticks;
	pthread_t thread;
	int listed = 0;

	assert_int_equal(pipe(pipe_ends), 0);
	pthread_create(&thread, NULL, reads, NULL);
	while (!activity.is_asleep || activity.call != SYS_read)
		if (thread_tid)
			assert_int_equal(
				proc_activity(&text, thread_tid, &activity), 0);
	assert_int_equal(proc_activity(&text, thread_tid, &again), 0);
	assert_int_equal(again.switches, activity.switches);
	assert_int_equal(again.pc, activity.pc);
	assert_memory_equal((const char *)(uintptr_t)activity.pc - 2,
			    "\x0f\x05", 2); /* after a syscall instruction */
	assert_int_equal(proc_blocked_signals(thread_tid, &mask), 0);
	assert_int_equal(mask, 1 << (SIGUSR1 - 1));
	assert_int_equal(proc_start_ticks(&text, thread_tid, &ticks), 0);
	assert_int_equal(proc_start_ticks(&text, getpid(), &own_ticks), 0);
	assert_true(ticks >= own_ticks && own_ticks > 0);
	assert_int_equal(proc_each_thread(0, count_it, &listed), 0);
	assert_int_equal(listed, 1);
	assert_int_equal(write(pipe_ends[1], "x", 1), 1);
	pthread_join(thread, NULL);
	while (!proc_activity(&text, thread_tid, &again))
		; /* until the thread has disappeared from /proc */
}

/* The length of a status file depends on the number of a user's groups. */
#define GROUPS_MAX    1100
#define GROUP_LARGEST 4000000000 /* a group id of ten digits */

static _Atomic int group_count;

static void *joins_groups(void *unused)
{
	static gid_t groups[GROUPS_MAX];
	char byte;

	thread_tid = (int)syscall(SYS_gettid);
	for (int i = 0; i < GROUPS_MAX; i++)
		groups[i] = (gid_t)(GROUP_LARGEST - i);
	while (read(pipe_ends[0], &byte, 1) == 1 && byte == 'x')
		group_count =
			syscall(SYS_setgroups, group_count, groups) ? -1 : -2;
	return unused;
}

static void set_groups(int count)
{
	struct proc_activity activity = { 0 };
	struct proc_text text;

	group_count = count;
	assert_int_equal(write(pipe_ends[1], "x", 1), 1);
	while (group_count >= 0)
		;
	if (group_count == -1) {
		print_message("only root may join groups\n");
		skip();
	}
	while (!activity.is_asleep || activity.call != SYS_read)
		assert_int_equal(proc_activity(&text, thread_tid, &activity),
				 0);
}

static void no_number_of_groups_hides_a_thread(void **state)
{
	struct proc_activity first = { 0 }, again;
	struct proc_text text;
	pthread_t thread;
	uint64_t mask;

	assert_int_equal(pipe(pipe_ends), 0);
	thread_tid = 0;
	pthread_create(&thread, NULL, joins_groups, NULL);
	while (!thread_tid)
		;
	for (int count = 0; count <= GROUPS_MAX; count += 11) {
		set_groups(count);
		assert_int_equal(proc_activity(&text, thread_tid, &first), 0);
		assert_true(first.switches > 0);
		assert_int_equal(proc_activity(&text, thread_tid, &again), 0);
		assert_int_equal(again.switches, first.switches);
		assert_int_equal(proc_blocked_signals(thread_tid, &mask), 0);
		assert_int_equal(mask, 0);
		assert_false(proc_is_traced());
	}
	assert_int_equal(write(pipe_ends[1], "", 1), 1);
	pthread_join(thread, NULL);
}

static void only_exited_threads_are_reported_as_exited(void **state)
{
	struct proc_line none = { .name = "NoSuchLine", .base = 10 };
	struct proc_activity activity;
	struct proc_text text;
	uint64_t mask;

	assert_int_equal(proc_status(getpid(), &none, 1), -EBADMSG);
	assert_int_equal(proc_activity(&text, 0x7ffffff0, &activity), -ESRCH);
	assert_int_equal(proc_blocked_signals(0x7ffffff0, &mask), -ESRCH);
}

#define WORD UINT64_C(0x5eed0fa11ab1e)

/* Returns the number of the first check that fails, or 0. */
static int failed_check(void)
{
	volatile uint64_t word = 0;
	const uint64_t wanted = WORD;
	const uint64_t page = (uintptr_t)&word / PAGE_BYTES;
	uint64_t flags;
	char text[16];
	const int mem = proc_open_own("mem", O_RDWR);
	const int pagemap = proc_open_own("pagemap", O_RDONLY);
	const int arguments = proc_open_own("cmdline", O_RDONLY);

	if (stacks_init(&stacks) || !stacks.count)
		return 1;
	if (pwrite(mem, &wanted, sizeof(wanted), (off_t)(uintptr_t)&word) !=
		    sizeof(wanted) ||
	    word != WORD)
		return 2;
	if (pread(pagemap, &flags, sizeof(flags),
		  (off_t)(page * sizeof(flags))) != sizeof(flags))
		return 3;
	if (read(arguments, text, sizeof(text)) <= 0)
		return 4;
	return proc_read_own_link("exe", text, sizeof(text)) <= 0 ? 5 : 0;
}

static void *check_alone(void *unused)
{
	int exe;

	/* This file exists until the main thread has ended. */
	while ((exe = open("/proc/self/exe", O_PATH | O_CLOEXEC)) >= 0)
		close(exe);
	_exit(failed_check());
}

static void own_files_are_found_after_the_main_thread_has_ended(void **state)
{
	const pid_t child = fork();
	pthread_t thread;
	int status;

	if (!child) {
		pthread_create(&thread, NULL, check_alone, NULL);
		pthread_exit(NULL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_of_signals_are_found_on_one_stack),
		cmocka_unit_test(entry_to_an_alternate_stack_is_found),
		cmocka_unit_test(
			a_handler_that_has_returned_is_told_from_one_that_is_about_to),
		cmocka_unit_test(
			one_that_was_interrupted_as_it_returned_counts),
		cmocka_unit_test(stale_frame_words_lead_nowhere),
		cmocka_unit_test(stack_is_read_up_to_an_unreadable_page),
		cmocka_unit_test(unmapped_memory_is_not_read),
		cmocka_unit_test(activity_of_a_sleeping_thread_stays_the_same),
		cmocka_unit_test(no_number_of_groups_hides_a_thread),
		cmocka_unit_test(only_exited_threads_are_reported_as_exited),
		cmocka_unit_test(
			own_files_are_found_after_the_main_thread_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
