/* SPDX-License-Identifier: MIT */
/*
 * Threads that wait in system calls. Each counts an error if a wait ends early
 * or with an unexpected result.
 *
 *	blocked SHARED
 *
 * In SHARED each thread counts its waits, and all threads count errors.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 60

enum { WAYS = 6 };

static struct {
	volatile uint64_t is_ready, complaints, last[2];
	volatile uint64_t waits[8], signals;
} * shared;

static int pipe_fds[2];
static sem_t semaphore;

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

__attribute__((noinline)) static int wait_by(intptr_t way)
{
	struct pollfd fds = { .fd = pipe_fds[0], .events = POLLIN };
	struct timespec left = { .tv_nsec = WAIT_MS * 1000000 }, at;
	struct timeval time = { .tv_usec = WAIT_MS * 1000 };
	struct epoll_event event;
	fd_set set;
	int fd, got;

	switch (way) {
	case 0:
		return nanosleep(&left, NULL);
	case 1:
		return poll(&fds, 1, WAIT_MS);
	case 2:
		FD_ZERO(&set);
		FD_SET(pipe_fds[0], &set);
		return select(pipe_fds[0] + 1, &set, NULL, NULL, &time);
	case 3:
		fd = epoll_create1(0);
		got = epoll_wait(fd, &event, 1, WAIT_MS);
		close(fd);
		return got;
	case 4:
		clock_gettime(CLOCK_REALTIME, &at);
		at.tv_nsec += WAIT_MS * 1000000;
		at.tv_sec += at.tv_nsec / 1000000000;
		at.tv_nsec %= 1000000000;
		return sem_timedwait(&semaphore, &at) && errno == ETIMEDOUT
			       ? 0
			       : -1;
	default:
		return ppoll(&fds, 1, &left, NULL);
	}
}

static void *run(void *number)
{
	const intptr_t way = (intptr_t)number;

	for (;;) {
		const uint64_t start = now_ms();
		const int result = wait_by(way);

		if (result || now_ms() < start + WAIT_MS - 2) {
			shared->last[0] = (uint64_t)way;
			shared->last[1] = (uint64_t)errno;
			shared->complaints++;
		}
		shared->waits[way]++;
	}
	return NULL;
}

/* Counts the signals that the test sends. */
static void on_signal(int signal)
{
	shared->signals++;
}

int main(int argc, char **argv)
{
	const int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
	struct sigaction action = { .sa_handler = on_signal };
	pthread_t thread;
	sigset_t signals;

	if (fd < 0 || ftruncate(fd, 4096) || pipe(pipe_fds) ||
	    sem_init(&semaphore, 0, 0))
		return 2;
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	sigemptyset(&signals);
	sigaddset(&signals, SIGRTMIN + 1);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	for (intptr_t way = 0; way < WAYS; way++)
		pthread_create(&thread, NULL, run, (void *)way);
	pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
	sigaction(SIGRTMIN + 1, &action, NULL);
	shared->is_ready = 1;
	for (;;)
		pause();
}
