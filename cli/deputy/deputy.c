/* SPDX-License-Identifier: MIT */
/* See deputy.h. */
#include "cli/deputy/deputy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/now.h"
#include "cli/common/command.h"
#include "cli/common/library.h"
#include "cli/deputy/java_socket.h"
#include "cli/target/ending_signals.h"
#include "cli/target/other_files.h"
#include "cli/target/own_ids.h"
#include "cli/target/target.h"
#include "wire/deputy_order.h"

/* How long the JVM may take to load the library. */
#define PATIENCE_MS 10000
#define SIGNALS     64

static int is_inside; /* whether a JVM has started this command */

/* ---- The other side: a command that a JVM has started ---- */

/*
 * Ignores these signals, and no others that the JVM ignores. Signals for which
 * main() has a handler already keep it. SIGTERM ends the command.
 */
static void inherit_signals(uint64_t ignored)
{
	sigset_t none;

	for (int number = 1; number <= SIGNALS; number++) {
		struct sigaction action;

		if (sigaction(number, NULL, &action) != 0 ||
		    (action.sa_handler != SIG_DFL &&
		     action.sa_handler != SIG_IGN))
			continue;
		action.sa_handler =
			ignored >> (number - 1) & 1 && number != SIGTERM
				? SIG_IGN
				: SIG_DFL;
		sigaction(number, &action, NULL);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void deputy_begin(void)
{
	const char *ignored = getenv(DEPUTY_VARIABLE);
	char byte;

	/* If there is no descriptor, the user has set the variable. */
	if (!ignored || fcntl(DEPUTY_CHANNEL, F_SETFD, FD_CLOEXEC) != 0)
		return;
	inherit_signals(strtoull(ignored, NULL, 16));
	unsetenv(DEPUTY_VARIABLE);
	if (read(DEPUTY_CHANNEL, &byte, 1) != 1)
		exit(EXIT_FAILURE);
	is_inside = 1;
	fcntl(DEPUTY_CHANNEL, F_SETSIG, SIGTERM);
	fcntl(DEPUTY_CHANNEL, F_SETOWN, getpid());
	fcntl(DEPUTY_CHANNEL, F_SETFL, O_ASYNC);
	/* whatever has happened before that sends no signal */
	if (recv(DEPUTY_CHANNEL, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0)
		exit(EXIT_FAILURE);
}

void deputy_end(int status)
{
	const unsigned char byte = (unsigned char)status;

	if (is_inside)
		send(DEPUTY_CHANNEL, &byte, 1, MSG_NOSIGNAL);
}

/* ---- Whether a deputy is of use ---- */

/*
 * Returns whether clew may trace the process. The kernel checks the second
 * argument of PTRACE_SEIZE before it looks at the process, so an error other
 * than EIO comes from a filter.
 */
static int may_trace(pid_t pid)
{
	char *path = memory_printf("/proc/%d/mem", pid);
	const int memory = open(path, O_RDWR | O_CLOEXEC);

	free(path);
	if (memory < 0)
		return errno != EACCES && errno != EPERM;
	close(memory);
	return ptrace(PTRACE_SEIZE, pid, 1, 0) == 0 || errno == EIO ||
	       errno == ESRCH;
}

/* A JVM accepts requests only of its own user and group. */
static int is_own(pid_t pid)
{
	return target_status(pid, "Uid", 10) == (int64_t)geteuid() &&
	       target_status(pid, "Gid", 10) == (int64_t)getegid();
}

int deputy_is_useful(pid_t pid)
{
	return !is_inside && is_own(pid) &&
	       target_status(pid, "Tgid", 10) == pid && !may_trace(pid) &&
	       own_ids_of(pid, pid) == pid && !own_ids_differ(pid) &&
	       !other_files_are_there(pid) && java_socket_is_there(pid);
}

/* ---- Orders ---- */

struct deputy {
	pid_t pid;
	char *library;
	char *name; /* of the socket `listener`, as in wire/deputy_order.h */
	int listener, signals;
	int request; /* the connection by which the JVM will answer, or -1 */
};

/*
 * Creates the socket to which the JVM connects. The kernel chooses its name,
 * and no file remains if this command is killed.
 */
static int begin(struct deputy *deputy, char **why)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t length = sizeof(address.sun_family);

	deputy->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (deputy->listener < 0 ||
	    bind(deputy->listener, (const struct sockaddr *)&address, length) !=
		    0 ||
	    listen(deputy->listener, 1) != 0)
		return fail(why, -errno, "no socket can be created: %s",
			    strerror(errno));
	length = sizeof(address);
	if (getsockname(deputy->listener, (struct sockaddr *)&address,
			&length) != 0)
		return fail(why, -errno, "a socket has no name: %s",
			    strerror(errno));
	deputy->name = memory_string(
		address.sun_path + 1,
		length - offsetof(struct sockaddr_un, sun_path) - 1);
	return 0;
}

static void end(struct deputy *deputy)
{
	if (deputy->request >= 0)
		close(deputy->request);
	if (deputy->listener >= 0)
		close(deputy->listener);
	free(deputy->name);
	free(deputy->library);
}

/* Accepts the JVM's connection. Returns it, or -1. */
static int accept_jvm(const struct deputy *deputy)
{
	const int channel = accept4(deputy->listener, NULL, NULL, SOCK_CLOEXEC);

	if (channel < 0 || java_socket_is_of(channel, deputy->pid))
		return channel;
	close(channel);
	return -1;
}

/*
 * Waits for the JVM's answer, because SIGPIPE would arrive in a JVM that
 * answers later.
 */
static char *take_answer(struct deputy *deputy)
{
	char *answer = java_socket_answer(deputy->request, 1000);

	close(deputy->request);
	deputy->request = -1;
	return answer;
}

static int refuse_answer(struct deputy *deputy, char **why)
{
	char *answer = take_answer(deputy);

	fail(why, -EPROTO, "it did not load " DEPUTY_LIBRARY ": %s",
	     *answer ? answer : "no answer");
	free(answer);
	return -EPROTO;
}

/*
 * Waits for the JVM's connection. Returns it; -EPROTO if the JVM has answered
 * without one; or -ETIMEDOUT.
 */
static int await_connection(const struct deputy *deputy)
{
	const uint64_t deadline_ns =
		now_ns(CLOCK_MONOTONIC) + PATIENCE_MS * UINT64_C(1000000);
	struct pollfd news[] = { { deputy->listener, POLLIN, 0 },
				 { deputy->request, POLLIN, 0 } };

	while (now_ns(CLOCK_MONOTONIC) < deadline_ns) {
		int channel;

		if (poll(news, 2, PATIENCE_MS / 10) <= 0)
			continue;
		/*
		 * The library connects before the JVM answers, so a connection
		 * that is not there when the answer is has not been made. A
		 * connection of another process is not accepted.
		 */
		if (poll(news, 1, 0) <= 0)
			return -EPROTO;
		channel = accept_jvm(deputy);
		if (channel >= 0)
			return channel;
	}
	return -ETIMEDOUT;
}

/*
 * Makes the JVM load the library, which connects to this process. If the JVM
 * has no socket, wakes it, but only if may_wake. Returns the connection, or
 * -errno and *why.
 */
static int call_jvm(struct deputy *deputy, int may_wake, char **why)
{
	int channel;

	deputy->request = java_socket_load(deputy->pid, deputy->library,
					   deputy->name, may_wake, why);
	if (deputy->request < 0)
		return deputy->request;
	channel = await_connection(deputy);
	if (channel == -EPROTO)
		return refuse_answer(deputy, why);
	if (channel < 0)
		return fail(why, channel,
			    "it did not load " DEPUTY_LIBRARY " in 10 s");
	return channel;
}

/* Returns the signals that this process ignores: bit N - 1. */
static uint64_t ignored_signals(void)
{
	uint64_t ignored = 0;

	for (int number = 1; number <= SIGNALS; number++) {
		struct sigaction action;

		if (sigaction(number, NULL, &action) == 0 &&
		    action.sa_handler == SIG_IGN)
			ignored |= UINT64_C(1) << (number - 1);
	}
	return ignored;
}

static uint32_t own_umask(void)
{
	const mode_t mask = umask(0);

	umask(mask);
	return mask;
}

/*
 * Writes the strings of a command: the path of this program, the arguments and
 * the environment. argv[0] is "clew NAME".
 */
static char *write_strings(int argc, char **argv, struct deputy_order *order)
{
	char path[PATH_MAX] = "", *text = NULL;
	size_t bytes;
	FILE *out;

	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		return NULL;
	out = memory_stream(&text, &bytes);
	fprintf(out, "%s%cclew%c%s%c", path, 0, 0, strchr(argv[0], ' ') + 1, 0);
	for (int i = 1; i < argc; i++)
		fprintf(out, "%s%c", argv[i], 0);
	order->arguments = (uint32_t)argc + 1;
	fprintf(out, DEPUTY_VARIABLE "=%" PRIx64 "%c", ignored_signals(), 0);
	order->variables = 1;
	for (char **one = environ; *one; one++, order->variables++)
		fprintf(out, "%s%c", *one, 0);
	fclose(out);
	order->bytes = (uint32_t)bytes;
	return text;
}

/* Sends an order; with one to run, the files and the strings. */
static int send_order(int channel, const struct deputy_order *order,
		      const int *files, const char *strings)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(DEPUTY_FILES * sizeof(int))];
	} control = { .header = { .cmsg_len =
					  CMSG_LEN(DEPUTY_FILES * sizeof(int)),
				  .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS } };
	struct iovec vector = { (void *)(uintptr_t)order, sizeof(*order) };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };
	size_t sent = 0;

	if (files) {
		memcpy(CMSG_DATA(&control.header), files,
		       DEPUTY_FILES * sizeof(int));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	if (sendmsg(channel, &message, MSG_NOSIGNAL) != sizeof(*order))
		return -1;
	while (sent < order->bytes) {
		const ssize_t more = send(channel, strings + sent,
					  order->bytes - sent, MSG_NOSIGNAL);

		if (more < 0 && errno == EINTR)
			continue;
		if (more <= 0)
			return -1;
		sent += (size_t)more;
	}
	return 0;
}

/*
 * Receives the answer to an order. Returns 0, or -errno and *why.
 */
static int receive_answer(int channel, struct deputy_answer *answer, char **why)
{
	struct pollfd readable = { .fd = channel, .events = POLLIN };

	if (poll(&readable, 1, PATIENCE_MS) <= 0 ||
	    recv(channel, answer, sizeof(*answer), MSG_WAITALL) !=
		    sizeof(*answer))
		return fail(why, -EPROTO,
			    "its " DEPUTY_LIBRARY " gave no answer");
	if (answer->error)
		return fail(why, -answer->error, "it cannot run clew: %s",
			    strerror(answer->error));
	return 0;
}

/*
 * Starts the command in the JVM. Stores its process in *child. Returns the
 * connection, or -errno and *why.
 */
static int start(struct deputy *deputy, int argc, char **argv, pid_t *child,
		 char **why)
{
	struct deputy_order order = { .version = DEPUTY_VERSION,
				      .action = DEPUTY_RUN,
				      .umask = own_umask() };
	char *strings = write_strings(argc, argv, &order);
	int files[DEPUTY_FILES] = { 0, 1, 2 };
	const int folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct deputy_answer answer;
	int channel = folder < 0 || !strings ? fail(why, -errno,
						    "the working directory or "
						    "clew cannot be opened: %s",
						    strerror(errno))
					     : call_jvm(deputy, 1, why);
	int err;

	files[DEPUTY_FILES - 1] = folder;
	if (channel >= 0) {
		err = send_order(channel, &order, files, strings)
			      ? fail(why, -EPROTO, "it did not take the order")
			      : receive_answer(channel, &answer, why);
		free(take_answer(deputy));
		if (err) {
			close(channel);
			channel = err;
		} else {
			*child = answer.pid;
		}
	}
	free(strings);
	if (folder >= 0)
		close(folder);
	return channel;
}

/*
 * Tells the JVM that the child has exited. Nothing is to be done if the JVM has
 * exited, too.
 */
static void end_child(struct deputy *deputy, pid_t child)
{
	const struct deputy_order order = { .version = DEPUTY_VERSION,
					    .action = DEPUTY_END,
					    .pid = child };
	struct deputy_answer answer = { 0 };
	char *why = NULL;
	const int channel = call_jvm(deputy, 0, &why);

	if (channel >= 0) {
		if (send_order(channel, &order, NULL, NULL) == 0)
			receive_answer(channel, &answer, &why);
		free(take_answer(deputy));
		close(channel);
	}
	free(why);
}

/*
 * Waits until the child has ended, and passes signals on to it: each byte that
 * arrives in the child is SIGTERM there. Returns the child's exit status, or -1
 * if it did not report one.
 */
static int wait_for(const struct deputy *deputy, int channel)
{
	struct pollfd news[] = { { channel, POLLIN, 0 },
				 { deputy->signals, POLLIN, 0 } };
	struct signalfd_siginfo signal;
	unsigned char status;

	for (;;) {
		if (poll(news, 2, -1) < 0)
			continue;
		if (news[0].revents)
			return read(channel, &status, 1) == 1 ? status : -1;
		if (news[1].revents && read(deputy->signals, &signal,
					    sizeof(signal)) == sizeof(signal))
			send(channel, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	}
}

/* Waits until the child has closed its end of the connection. */
static void wait_for_close(int channel)
{
	char byte;

	while (read(channel, &byte, 1) > 0)
		;
}

/* Opens those of stdin, stdout and stderr that are closed, for the child. */
static void open_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/*
 * Runs the command. Returns its exit status, or -errno and *why.
 */
static int run(struct deputy *deputy, int argc, char **argv, int is_quiet,
	       char **why)
{
	int status, channel;
	pid_t child = 0;

	status = library_find_deputy(&deputy->library, why);
	if (!status)
		status = begin(deputy, why);
	if (status)
		return status;
	channel = start(deputy, argc, argv, &child, why);
	if (channel < 0)
		return channel;
	if (!is_quiet)
		complain(argv[0],
			 "clew may not trace process %d; its JVM has started "
			 "this command as process %d",
			 deputy->pid, child);
	send(channel, "", 1, MSG_NOSIGNAL);
	status = wait_for(deputy, channel);
	wait_for_close(channel);
	close(channel);
	end_child(deputy, child);
	if (status >= 0)
		return status;
	complain(argv[0],
		 "process %d, which the JVM has started, ended without an exit "
		 "status",
		 child);
	return EXIT_FAILURE;
}

int deputy_run(pid_t pid, int argc, char **argv, int is_quiet)
{
	struct deputy deputy = { .pid = pid, .listener = -1, .request = -1 };
	char *why = NULL;
	int status;

	/* Ctrl-Z would stop this process alone, and not what the user sees. */
	signal(SIGTSTP, SIG_IGN);
	open_standard_files();
	deputy.signals = ending_signals_watch();
	status = run(&deputy, argc, argv, is_quiet, &why);
	ending_signals_unwatch(deputy.signals);
	end(&deputy);
	if (status >= 0)
		return status;
	complain(argv[0],
		 "clew may not trace process %d, and its JVM does not help: %s",
		 pid, why);
	free(why);
	return EXIT_FAILURE;
}
