/* SPDX-License-Identifier: MIT */
/* See launch.h. */
#include "cli/recording/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/target/executable.h"

enum { POLL_MS = 200 };

/* Signal state that the target inherits unchanged. */
struct inherited {
	sigset_t mask;
	struct sigaction on_child;
	struct sigaction on_size;
};

/*
 * Blocks the relevant signals, to wait for them without handlers and globals.
 * SIGCHLD must not be ignored, or the kernel keeps no exit status. A limit on
 * file sizes must not end clew before it passes on the status.
 */
static void take_signals(sigset_t *taken, struct inherited *inherited)
{
	struct sigaction by_default = { .sa_handler = SIG_DFL };
	struct sigaction ignored = { .sa_handler = SIG_IGN };

	sigemptyset(taken);
	sigaddset(taken, SIGCHLD);
	sigaddset(taken, SIGINT);
	sigaddset(taken, SIGQUIT);
	sigaddset(taken, SIGTERM);
	sigaddset(taken, SIGHUP);
	sigprocmask(SIG_BLOCK, taken, &inherited->mask);
	sigaction(SIGCHLD, &by_default, &inherited->on_child);
	sigaction(SIGXFSZ, &ignored, &inherited->on_size);
}

static void give_signals_back(const struct inherited *inherited)
{
	sigaction(SIGCHLD, &inherited->on_child, NULL);
	sigaction(SIGXFSZ, &inherited->on_size, NULL);
	sigprocmask(SIG_SETMASK, &inherited->mask, NULL);
}

static void set_environment(const struct launch *launch)
{
	const char *others = getenv("LD_PRELOAD");
	char *preload;

	if (!launch->output)
		return;
	preload = others && *others
			  ? memory_printf("%s:%s", launch->library, others)
			  : memory_printf("%s", launch->library);
	setenv("LD_PRELOAD", preload, 1);
	setenv("CLEW_DIR", launch->output, 1);
	free(preload);
}

/*
 * Executes a program. execvp() would run files that the kernel rejects as
 * scripts without "#!", as shells do. For an ELF file of another machine, this
 * would give misleading errors, so execv() executes ELF files. Returns -errno
 * on failure.
 */
static int execute(char **argv)
{
	char *path;

	if (executable_find(argv[0], &path) == 0 && executable_is_elf(path))
		execv(path, argv);
	else
		execvp(argv[0], argv);
	return -errno;
}

/*
 * Runs in the child. Writes the error to the pipe if the program cannot be
 * executed.
 */
static void become_target(const struct launch *launch,
			  const struct inherited *inherited, int pipe_fd)
{
	int err;

	set_environment(launch);
	give_signals_back(inherited);
	err = execute(launch->argv);
	if (write(pipe_fd, &err, sizeof(err)) != sizeof(err))
		_exit(EXIT_FAILURE);
	_exit(EXIT_FAILURE);
}

/*
 * Returns whether to send the signal to the target. The terminal sends its
 * signals to the target directly.
 */
static int is_to_be_passed_on(const siginfo_t *info, pid_t target)
{
	return (info->si_signo == SIGTERM || info->si_signo == SIGHUP) &&
	       info->si_code != SI_KERNEL && info->si_pid != target;
}

static int wait_for(const struct launch *launch, pid_t target,
		    const sigset_t *taken)
{
	static const struct timespec poll_interval = {
		.tv_nsec = POLL_MS * 1000000,
	};
	siginfo_t info;
	int status = 0;

	for (;;) {
		if (waitpid(target, &status, WNOHANG) == target)
			return status;
		if (sigtimedwait(taken, &info,
				 launch->poll ? &poll_interval : NULL) > 0 &&
		    is_to_be_passed_on(&info, target))
			kill(target, info.si_signo);
		if (launch->poll)
			launch->poll(launch->poll_context);
	}
}

int launch(const struct launch *launch, struct launch_outcome *outcome)
{
	struct inherited inherited;
	struct launch_outcome result = { 0 };
	sigset_t taken;
	int pipe_fds[2];

	if (pipe2(pipe_fds, O_CLOEXEC) != 0)
		return -errno;
	take_signals(&taken, &inherited);
	result.pid = fork();
	if (result.pid < 0) {
		int err = -errno;

		give_signals_back(&inherited);
		close(pipe_fds[0]);
		close(pipe_fds[1]);
		return err;
	}
	if (result.pid == 0)
		become_target(launch, &inherited, pipe_fds[1]);
	close(pipe_fds[1]);
	if (read(pipe_fds[0], &result.exec_error, sizeof(int)) != sizeof(int))
		result.exec_error = 0;
	close(pipe_fds[0]);
	result.status = wait_for(launch, result.pid, &taken);
	*outcome = result;
	return 0;
}

void die_by(int signal_number)
{
	static const struct rlimit no_core;
	sigset_t one;

	setrlimit(RLIMIT_CORE, &no_core);
	signal(signal_number, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, signal_number);
	raise(signal_number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	_exit(128 + signal_number);
}
