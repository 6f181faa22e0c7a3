/* SPDX-License-Identifier: MIT */
/*
 * Wall time of known functions, mostly waiting: each function measures its own
 * duration and counts its calls.
 *
 *	idles split THREADS MILLISECONDS CYCLE_US [jitter] [spin]
 *		each thread spends 70, 20 and 10 % of a cycle in three functions
 *		that sleep; with `spin` the last one works
 *	idles burst THREADS MILLISECONDS
 *		a sleep of a second, then cycles of a millisecond
 *	idles reasons MILLISECONDS
 *		functions that wait that long, each for another reason
 *
 * Prints "FUNCTION CALLS WALL_NS CPU_NS" for each function, sums of all
 * threads.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

#define THREADS_MAX   512
#define FUNCTIONS_MAX 16

/* Time of a thread in one function. */
struct spent {
	uint64_t calls, wall_ns, cpu_ns;
};

static const char *names[FUNCTIONS_MAX];
static struct spent spent[THREADS_MAX][FUNCTIONS_MAX];
static volatile uint64_t sum;

static uint64_t duration_ns, cycle_ns;
static int has_jitter, spins;

/*
 * Not static, so that the dynamic symbol table has them although the file is
 * stripped.
 */
void most(uint64_t ns);
void some(uint64_t ns);
void little(uint64_t ns);
void by_futex(uint64_t ns);
void by_poll(uint64_t ns);
void by_epoll(uint64_t ns);
void by_read(uint64_t ns);
void by_nanosleep(uint64_t ns);
void by_accept(uint64_t ns);
void by_wait(uint64_t ns);
void by_fault(uint64_t ns);
void by_nothing(uint64_t ns);

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / 1000000000),
				  .tv_nsec = (long)(ns % 1000000000) };
}

static void sleep_for(uint64_t ns)
{
	struct timespec ts = timespec_of(ns);

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

/*
 * Calls a function by a pointer, so that it is not inlined. The wall clock is
 * read directly before and after the call. Reading it is no system call, at
 * which the kernel might switch threads.
 */
static void spend(int thread, int index, const char *name,
		  void (*function)(uint64_t), uint64_t ns)
{
	struct spent *mine = &spent[thread][index];
	uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t wall = clock_ns(CLOCK_MONOTONIC);

	function(ns);
	mine->wall_ns += clock_ns(CLOCK_MONOTONIC) - wall;
	mine->cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	mine->calls++;
	names[index] = name;
}

#define SPEND(thread, index, function, ns)                                     \
	spend(thread, index, #function, function, ns)

static void say_all(void)
{
	for (int f = 0; f < FUNCTIONS_MAX && names[f]; f++) {
		struct spent all = { 0 };

		for (int t = 0; t < THREADS_MAX; t++) {
			all.calls += spent[t][f].calls;
			all.wall_ns += spent[t][f].wall_ns;
			all.cpu_ns += spent[t][f].cpu_ns;
		}
		printf("%s %llu %llu %llu\n", names[f],
		       (unsigned long long)all.calls,
		       (unsigned long long)all.wall_ns,
		       (unsigned long long)all.cpu_ns);
	}
}

static void run_threads(int count, void *(*function)(void *))
{
	pthread_t threads[THREADS_MAX];

	for (long i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, function, (void *)i))
			abort();
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

/* ---- Known splits ---- */

KEPT void most(uint64_t ns)
{
	sleep_for(ns);
}

KEPT void some(uint64_t ns)
{
	sleep_for(ns);
}

static void work_for(uint64_t ns)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + ns;

	while (clock_ns(CLOCK_MONOTONIC) < end)
		for (int i = 0; i < 2000; i++)
			sum += (uint64_t)i;
}

KEPT void little(uint64_t ns)
{
	if (spins)
		work_for(ns);
	else
		sleep_for(ns);
}

/* Returns `ns`, with jitter 50 to 150 % of it. */
static uint64_t vary(uint64_t ns, uint32_t *random)
{
	if (!has_jitter)
		return ns;
	*random = *random * 1103515245 + 12345;
	return ns / 2 + ns * (*random >> 16 & 1023) / 1024;
}

static void *split(void *argument)
{
	const int thread = (int)(long)argument;
	const uint64_t end = clock_ns(CLOCK_MONOTONIC) + duration_ns;
	uint32_t random = (uint32_t)thread * 7919 + (uint32_t)end;

	while (clock_ns(CLOCK_MONOTONIC) < end) {
		SPEND(thread, 0, most, vary(cycle_ns * 7 / 10, &random));
		SPEND(thread, 1, some, vary(cycle_ns * 2 / 10, &random));
		SPEND(thread, 2, little, vary(cycle_ns / 10, &random));
	}
	return NULL;
}

static void *burst(void *argument)
{
	const int thread = (int)(long)argument;
	const uint64_t end = clock_ns(CLOCK_MONOTONIC) + duration_ns;

	SPEND(thread, 0, most, 1000000000);
	while (clock_ns(CLOCK_MONOTONIC) < end) {
		SPEND(thread, 1, some, 700000);
		SPEND(thread, 2, little, 300000);
	}
	return NULL;
}

/* ---- Reasons ---- */

KEPT void by_futex(uint64_t ns)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct timespec end = timespec_of(clock_ns(CLOCK_REALTIME) + ns);

	pthread_mutex_lock(&mutex);
	pthread_mutex_timedlock(&mutex, &end);
	pthread_mutex_unlock(&mutex);
	pthread_mutex_destroy(&mutex);
}

KEPT void by_poll(uint64_t ns)
{
	poll(NULL, 0, (int)(ns / 1000000));
}

KEPT void by_epoll(uint64_t ns)
{
	struct epoll_event event;
	int fd = epoll_create1(0);

	epoll_wait(fd, &event, 1, (int)(ns / 1000000));
	close(fd);
}

/* Forks a child that closes its copy of `fd` after a while. */
static pid_t close_later(uint64_t ns, int fd)
{
	pid_t pid = fork();

	if (pid < 0)
		abort();
	if (pid)
		return pid;
	sleep_for(ns);
	if (fd >= 0)
		close(fd);
	_exit(0);
}

KEPT void by_read(uint64_t ns)
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends))
		abort();
	pid = close_later(ns, ends[1]);
	close(ends[1]);
	if (read(ends[0], &byte, 1))
		abort();
	close(ends[0]);
	waitpid(pid, NULL, 0);
}

KEPT void by_nanosleep(uint64_t ns)
{
	sleep_for(ns);
}

/* No client connects. */
KEPT void by_accept(uint64_t ns)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct timeval patience = { .tv_sec = (time_t)(ns / 1000000000),
					  .tv_usec = (suseconds_t)(ns / 1000 %
								   1000000) };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	/* without a name, the kernel assigns one */
	if (bind(fd, (void *)&address, sizeof(sa_family_t)) || listen(fd, 1) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
		       sizeof(patience)))
		abort();
	accept(fd, NULL, NULL);
	close(fd);
}

KEPT void by_wait(uint64_t ns)
{
	waitpid(close_later(ns, -1), NULL, 0);
}

/* A page that another thread provides slowly. */
struct supplier {
	int fd;
	uint64_t ns;
	void *page;
};

static void *supply(void *argument)
{
	const struct supplier *supplier = argument;
	struct uffd_msg message;
	struct uffdio_zeropage zero = {
		.range = { .start = (uintptr_t)supplier->page, .len = 4096 }
	};

	if (read(supplier->fd, &message, sizeof(message)) != sizeof(message))
		abort();
	sleep_for(supplier->ns);
	if (ioctl(supplier->fd, UFFDIO_ZEROPAGE, &zero))
		abort();
	return NULL;
}

static void open_faults(struct supplier *supplier)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	supplier->fd =
		(int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	if (supplier->fd < 0)
		return;
	range.range.start = (uintptr_t)supplier->page;
	range.range.len = 4096;
	if (!ioctl(supplier->fd, UFFDIO_API, &api) &&
	    !ioctl(supplier->fd, UFFDIO_REGISTER, &range))
		return;
	close(supplier->fd);
	supplier->fd = -1;
}

/* If the kernel has no such faults, the function sleeps. */
KEPT void by_fault(uint64_t ns)
{
	struct supplier supplier = { .ns = ns };
	pthread_t thread;

	supplier.page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	open_faults(&supplier);
	if (supplier.fd < 0) {
		sleep_for(ns);
		return;
	}
	if (pthread_create(&thread, NULL, supply, &supplier))
		abort();
	sum += *(volatile unsigned char *)supplier.page;
	pthread_join(thread, NULL);
	close(supplier.fd);
	munmap(supplier.page, 4096);
}

KEPT void by_nothing(uint64_t ns)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 2000; i++)
			sum += (uint64_t)i;
}

static void wait_for_all(void)
{
	SPEND(0, 0, by_futex, duration_ns);
	SPEND(0, 1, by_poll, duration_ns);
	SPEND(0, 2, by_epoll, duration_ns);
	SPEND(0, 3, by_read, duration_ns);
	SPEND(0, 4, by_nanosleep, duration_ns);
	SPEND(0, 5, by_accept, duration_ns);
	SPEND(0, 6, by_wait, duration_ns);
	SPEND(0, 7, by_fault, duration_ns);
	SPEND(0, 8, by_nothing, duration_ns);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";

	if (!strcmp(how, "reasons")) {
		duration_ns = strtoull(argv[2], NULL, 10) * 1000000;
		wait_for_all();
		say_all();
		return 0;
	}
	if (argc < 4 || atoi(argv[2]) > THREADS_MAX)
		return 64;
	duration_ns = strtoull(argv[3], NULL, 10) * 1000000;
	cycle_ns = argc > 4 ? strtoull(argv[4], NULL, 10) * 1000 : 0;
	for (int i = 5; i < argc; i++) {
		has_jitter |= !strcmp(argv[i], "jitter");
		spins |= !strcmp(argv[i], "spin");
	}
	run_threads(atoi(argv[2]), strcmp(how, "burst") ? split : burst);
	say_all();
	return 0;
}
