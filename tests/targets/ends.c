/* SPDX-License-Identifier: MIT */
/*
 * ends HOW: all ways in which a process can end, each within counted functions
 * and with counted functions that run later.
 *
 *	return, exit, _exit, quick_exit, abort, kill, trap
 *	thread		exit() called by another thread
 *	handlers	exit() called again by an exit handler
 *	daemon		forks twice, leaves its session, closes descriptors
 *	last		the main thread ends first
 *
 * The truth is written just before the end by the last function or thread.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/targets/exit_handlers.h"

static COUNTED int work(int n)
{
	ENTER(work);
	volatile int sum = n;

	if (n > 0)
		sum += work(n - 1);
	LEAVE();
	return sum;
}

TRUTH_INLINE void say(const char *what)
{
	if (write(STDOUT_FILENO, what, strlen(what)) < 0)
		_exit(9);
}

static COUNTED void at_quick_exit_last(void *unused)
{
	ENTER_ROOT(at_quick_exit_last);
	work(3);
	LEAVE();
	truth_write();
}

static COUNTED void at_exit_last(int status, void *unused)
{
	ENTER_ROOT(at_exit_last);
	work(3);
	LEAVE();
	truth_write();
}

static COUNTED void at_exit_first(int status, void *unused)
{
	ENTER_ROOT(at_exit_first);
	work(2);
	say("once more\n");
	exit(5); /* the remaining handlers, and this status */
}

static COUNTED void *exit_in_thread(void *unused)
{
	ENTER(exit_in_thread);
	work(4);
	exit(6);
	return unused;
}

static COUNTED void *work_alone(void *main_thread)
{
	ENTER(work_alone);
	pthread_join(*(pthread_t *)main_thread, NULL);
	work(6);
	LEAVE();
	truth_write();
	return NULL;
}

static COUNTED void end_by_thread(void)
{
	pthread_t thread;

	ENTER(end_by_thread);
	on_exit(at_exit_last, NULL);
	if (!pthread_create(&thread, NULL, exit_in_thread, NULL))
		pthread_join(thread, NULL);
}

static COUNTED void end_by_last_thread(void)
{
	static pthread_t self;
	pthread_t thread;

	ENTER(end_by_last_thread);
	self = pthread_self();
	if (!pthread_create(&thread, NULL, work_alone, &self))
		pthread_exit(NULL);
}

/*
 * The parent's parent waits for the end of the pipe, whose write end is here.
 */
static COUNTED void become_daemon(void)
{
	int ends[2];
	char byte;

	ENTER(become_daemon);
	if (pipe(ends))
		_exit(9);
	if (fork()) {
		close(ends[1]);
		while (read(ends[0], &byte, 1) > 0)
			;
		truth_write();
		_exit(0);
	}
	TRUTH_FORKED();
	setsid();
	if (fork()) {
		truth_write();
		_exit(0);
	}
	TRUTH_FORKED();
	umask(0);
	if (chdir("/"))
		_exit(9);
	for (int fd = 0; fd < 1100; fd++)
		if (fd != ends[1])
			close(fd);
	work(7);
	LEAVE();
	truth_write();
	_exit(0);
}

static COUNTED void end(const char *how)
{
	ENTER(end);
	work(1);
	if (!strcmp(how, "thread"))
		end_by_thread();
	if (!strcmp(how, "last"))
		end_by_last_thread();
	if (!strcmp(how, "daemon"))
		become_daemon();
	if (!strcmp(how, "handlers")) {
		on_exit(at_exit_last, NULL);
		on_exit(at_exit_first, NULL);
		exit(4);
	}
	if (!strcmp(how, "exit")) {
		on_exit(at_exit_last, NULL);
		exit(3);
	}
	if (!strcmp(how, "quick_exit")) {
		__cxa_at_quick_exit(at_quick_exit_last, NULL);
		quick_exit(7);
	}
	truth_write();
	if (!strcmp(how, "_exit"))
		_exit(2);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "trap"))
		__builtin_trap();
	LEAVE();
}

int main(int argc, char **argv)
{
	ENTER(main);
	say("begun\n");
	end(argc > 1 ? argv[1] : "");
	LEAVE();
	return 1;
}
