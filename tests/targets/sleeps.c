/* SPDX-License-Identifier: MIT */
/*
 * A program that counts EINTR. Each way to wait is tried many times with some
 * work in between, with a partner's help if it has no time limit. The program
 * prints how often it was interrupted; only clew can cause interruptions.
 *
 *	sleeps ROUNDS
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define WAIT_NS   20000
#define FDS_COUNT 1000 /* checked before a call waits */

static const struct timespec moment = { .tv_nsec = WAIT_NS };
static int epoll_fd, pipe_fds[2], socket_fds[2], listener, queue, semaphores;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static sigset_t usr1;
static volatile sig_atomic_t woken;
static pthread_t waiter;
static volatile unsigned long sum;

static void work(void)
{
	for (int i = 0; i < 50000; i++)
		sum += (unsigned long)i;
}

/* Works until a clock has ticked, also while signals are blocked. */
static void work_long(void)
{
	for (int i = 0; i < 300; i++)
		work();
}

static struct timespec soon(void)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec += WAIT_NS;
	at.tv_sec += at.tv_nsec / 1000000000;
	at.tv_nsec %= 1000000000;
	return at;
}

static int failed_so(int result)
{
	return result < 0 && errno == EINTR;
}

/* ---- With a time limit; return 1 if interrupted ---- */

static int by_nanosleep(void)
{
	return nanosleep(&moment, NULL) != 0;
}

static int by_clock_nanosleep(void)
{
	const struct timespec at = soon();

	return clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL) != 0;
}

static int by_usleep(void)
{
	return usleep(WAIT_NS / 1000) != 0;
}

static int by_poll(void)
{
	static struct pollfd fds[FDS_COUNT];

	for (int i = 0; i < FDS_COUNT; i++)
		fds[i] = (struct pollfd){ .fd = pipe_fds[0], .events = POLLIN };
	return failed_so(poll(fds, FDS_COUNT, 1));
}

static int by_ppoll(void)
{
	struct pollfd fd = { .fd = pipe_fds[0], .events = POLLIN };

	return failed_so(ppoll(&fd, 1, &moment, &usr1));
}

static int by_select(void)
{
	struct timeval limit = { .tv_usec = WAIT_NS / 1000 };

	return failed_so(select(0, NULL, NULL, NULL, &limit));
}

static int by_pselect(void)
{
	return failed_so(pselect(0, NULL, NULL, NULL, &moment, &usr1));
}

static int by_epoll_wait(void)
{
	struct epoll_event event;

	return failed_so(epoll_wait(epoll_fd, &event, 1, 1));
}

static int by_recv(void)
{
	char byte;

	return failed_so((int)recv(socket_fds[0], &byte, 1, 0));
}

static int by_accept(void)
{
	return failed_so(accept(listener, NULL, NULL));
}

static int by_sem_timedwait(void)
{
	const struct timespec at = soon();

	return failed_so(sem_timedwait(&semaphore, &at));
}

static int by_cond_timedwait(void)
{
	const struct timespec at = soon();
	int err;

	pthread_mutex_lock(&mutex);
	err = pthread_cond_timedwait(&condition, &mutex, &at);
	pthread_mutex_unlock(&mutex);
	return err != ETIMEDOUT;
}

static int by_futex(void)
{
	static int word;

	return failed_so(
		(int)syscall(SYS_futex, &word, 0, 0, &moment, NULL, 0));
}

static int by_sigtimedwait(void)
{
	return failed_so(sigtimedwait(&usr1, NULL, &moment));
}

static int by_semtimedop(void)
{
	struct sembuf take = { .sem_op = -1 };

	return failed_so(semtimedop(semaphores, &take, 1, &moment));
}

/* ---- Without a time limit: a partner wakes the waiter ---- */

static void *send_byte(void *unused)
{
	(void)unused;
	nanosleep(&moment, NULL);
	if (write(pipe_fds[1], "", 1) != 1)
		abort();
	return NULL;
}

static void *send_message(void *unused)
{
	const struct {
		long type;
		char text[1];
	} message = { .type = 1 };

	(void)unused;
	nanosleep(&moment, NULL);
	if (msgsnd(queue, &message, 1, 0))
		abort();
	return NULL;
}

static void *send_signal(void *unused)
{
	(void)unused;
	nanosleep(&moment, NULL);
	pthread_kill(waiter, SIGUSR1);
	return NULL;
}

static int with_partner(void *(*help)(void *), int (*wait)(void))
{
	pthread_t partner;
	int result;

	pthread_create(&partner, NULL, help, NULL);
	work();
	result = wait();
	pthread_join(partner, NULL);
	return result;
}

static int read_byte(void)
{
	char byte;

	return read(pipe_fds[0], &byte, 1) != 1;
}

static int by_read(void)
{
	return with_partner(send_byte, read_byte);
}

static int receive_message(void)
{
	struct {
		long type;
		char text[1];
	} message;

	return msgrcv(queue, &message, 1, 0, 0) != 1;
}

static int by_msgrcv(void)
{
	return with_partner(send_message, receive_message);
}

/* Returning before the handler has run would be an interruption. */
static int suspend(void)
{
	sigset_t without = usr1;

	sigdelset(&without, SIGUSR1);
	sigsuspend(&without);
	return !woken;
}

static int by_sigsuspend(void)
{
	woken = 0;
	return with_partner(send_signal, suspend);
}

/* ---- With all signals blocked while a clock ticks ---- */

static int with_all_blocked(int (*wait)(const sigset_t *none))
{
	sigset_t all, old, none;
	int result;

	sigemptyset(&none);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	work_long();
	result = wait(&none);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return result;
}

static int poll_openly(const sigset_t *none)
{
	return failed_so(ppoll(NULL, 0, &moment, none));
}

static int select_openly(const sigset_t *none)
{
	return failed_so(pselect(0, NULL, NULL, NULL, &moment, none));
}

static int epoll_openly(const sigset_t *none)
{
	struct epoll_event event;

	return failed_so(epoll_pwait(epoll_fd, &event, 1, 1, none));
}

static int is_nothing_pending(const sigset_t *none)
{
	sigset_t all, pending;

	sigfillset(&all);
	sigemptyset(&pending);
	sigpending(&pending);
	return !sigisemptyset(&pending) ||
	       sigtimedwait(&all, NULL, &moment) >= 0 || errno != EAGAIN;
}

static int read_signals(const sigset_t *none)
{
	struct signalfd_siginfo info;
	sigset_t all;
	int fd, result;

	sigfillset(&all);
	fd = signalfd(-1, &all, SFD_NONBLOCK);
	result = read(fd, &info, sizeof(info)) >= 0;
	close(fd);
	return result;
}

static int by_ppoll_openly(void)
{
	return with_all_blocked(poll_openly);
}

static int by_pselect_openly(void)
{
	return with_all_blocked(select_openly);
}

static int by_epoll_pwait_openly(void)
{
	return with_all_blocked(epoll_openly);
}

static int by_sigtimedwait_for_all(void)
{
	return with_all_blocked(is_nothing_pending);
}

static int by_signalfd(void)
{
	return with_all_blocked(read_signals);
}

static int suspend_openly(const sigset_t *none)
{
	const struct timespec later = { .tv_nsec = 20000000 };
	const struct itimerspec limit = { .it_value = later };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGUSR1 };
	timer_t timer;

	woken = 0;
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &limit, NULL))
		abort();
	sigsuspend(none);
	timer_delete(timer);
	return !woken;
}

static int by_sigsuspend_openly(void)
{
	return with_all_blocked(suspend_openly);
}

static int wait_for_any(void)
{
	sigset_t all, old;
	int signal = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	work();
	sigwait(&all, &signal);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return signal != SIGUSR1;
}

static int by_sigwait(void)
{
	return with_partner(send_signal, wait_for_any);
}

/* Ways that take long are tried in fewer rounds. */
static const struct {
	const char *name;
	int (*wait)(void);
	int rarely;
} ways[] = {
	{ "nanosleep", by_nanosleep, 1 },
	{ "clock_nanosleep", by_clock_nanosleep, 1 },
	{ "usleep", by_usleep, 1 },
	{ "poll", by_poll, 1 },
	{ "ppoll", by_ppoll, 1 },
	{ "select", by_select, 1 },
	{ "pselect", by_pselect, 1 },
	{ "epoll_wait", by_epoll_wait, 1 },
	{ "recv", by_recv, 20 },
	{ "accept", by_accept, 20 },
	{ "sem_timedwait", by_sem_timedwait, 1 },
	{ "cond_timedwait", by_cond_timedwait, 1 },
	{ "futex", by_futex, 1 },
	{ "sigtimedwait", by_sigtimedwait, 1 },
	{ "semtimedop", by_semtimedop, 1 },
	{ "read", by_read, 1 },
	{ "msgrcv", by_msgrcv, 1 },
	{ "sigsuspend", by_sigsuspend, 1 },
	{ "sigwait", by_sigwait, 1 },
	{ "ppoll, all blocked", by_ppoll_openly, 50 },
	{ "pselect, all blocked", by_pselect_openly, 50 },
	{ "epoll_pwait, all blocked", by_epoll_pwait_openly, 50 },
	{ "sigsuspend, all blocked", by_sigsuspend_openly, 50 },
	{ "sigtimedwait, all blocked", by_sigtimedwait_for_all, 50 },
	{ "signalfd, all blocked", by_signalfd, 50 },
};

static void on_usr1(int signal)
{
	woken = 1;
}

static void prepare(void)
{
	const struct timeval limit = { .tv_usec = WAIT_NS / 1000 };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct sigaction action = { .sa_handler = on_usr1 };

	sigaction(SIGUSR1, &action, NULL);
	sigaddset(&usr1, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &usr1, NULL);
	waiter = pthread_self();
	epoll_fd = epoll_create1(0);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (pipe(pipe_fds) || sem_init(&semaphore, 0, 0) ||
	    socketpair(AF_UNIX, SOCK_DGRAM, 0, socket_fds) ||
	    bind(listener, (struct sockaddr *)&address,
		 sizeof(address.sun_family)) ||
	    listen(listener, 1))
		abort();
	for (int i = 0; i < 2; i++)
		setsockopt(i ? listener : socket_fds[0], SOL_SOCKET,
			   SO_RCVTIMEO, &limit, sizeof(limit));
	queue = msgget(IPC_PRIVATE, 0600);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 100;

	prepare();
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		int interrupted = 0;

		for (int round = 0; round < rounds; round += ways[i].rarely) {
			work();
			interrupted += ways[i].wait();
		}
		printf("%s: %d\n", ways[i].name, interrupted);
	}
	msgctl(queue, IPC_RMID, NULL);
	semctl(semaphores, 0, IPC_RMID);
	return 0;
}
