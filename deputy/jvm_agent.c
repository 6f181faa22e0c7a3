/* SPDX-License-Identifier: MIT */
/*
 * libclew-deputy.so: a JVM starts a command of clew by it, the child.
 *
 * A JVM loads this library when a process of its user asks for it through the
 * JVM's attach socket. The child has the JVM's rights, and the JVM declares
 * that the child may trace it, so the child may do what clew itself is not
 * permitted to do. wire/deputy_order.h describes the messages.
 *
 * The program must not notice the child: neither by SIGCHLD nor by waitpid(-1).
 * execve() sets the exit signal of a process to SIGCHLD, so a middle process
 * starts the child and exits at once. The middle process executes nothing, and
 * its exit signal is 0. The child gets its own process group, so that signals
 * from the JVM's terminal do not reach it, and no descriptor of the JVM. It
 * gets no session of its own: Linux would schedule that as a group of its own,
 * and has let such a group wait for seconds on a busy machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire/deputy_order.h"

#define STACK_BYTES 65536
/* Numbers above those that the child's own descriptors get. */
#define ASIDE      (DEPUTY_CHANNEL + DEPUTY_FILES + 2)
#define PATIENCE_S 10

/* What the child needs, which shares the JVM's memory until it executes. */
struct start {
	const struct deputy_order *order;
	char **arguments, **environment;
	int files[DEPUTY_FILES];
	int channel;
	unsigned char *stack; /* of the child: its end */
	volatile int pid;     /* the child, or -1 */
	volatile int error;   /* the errno of the call that failed, or 0 */
};

/*
 * ---- In the child and the middle process ----
 *
 * Both share the JVM's memory, and all signals are blocked. They call only
 * functions that signal handlers may call. They do not change the actions of
 * signals: a library between libc and the JVM (libjsig, clew) would change its
 * own data, which are those of the JVM.
 */

static void close_from(unsigned int first)
{
	struct rlimit limit = { 0 };

#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, ~0U, 0) == 0)
		return;
#endif
	getrlimit(RLIMIT_NOFILE, &limit);
	for (unsigned int fd = first; fd < limit.rlim_cur; fd++)
		close((int)fd);
}

/*
 * Gives the child its descriptors. They are moved aside first, because the JVM
 * may have received them at any number.
 */
static int take_files(const struct start *start)
{
	int aside[DEPUTY_FILES + 1];

	for (int i = 0; i <= DEPUTY_FILES; i++) {
		const int fd =
			i < DEPUTY_FILES ? start->files[i] : start->channel;

		aside[i] = fcntl(fd, F_DUPFD, ASIDE);
		if (aside[i] < 0)
			return -1;
	}
	for (int fd = 0; fd < DEPUTY_CHANNEL; fd++)
		if (dup2(aside[fd], fd) < 0)
			return -1;
	if (fchdir(aside[DEPUTY_FILES - 1]) != 0 ||
	    dup2(aside[DEPUTY_FILES], DEPUTY_CHANNEL) < 0)
		return -1;
	close_from(DEPUTY_CHANNEL + 1);
	return 0;
}

static int run(void *argument)
{
	struct start *start = argument;

	setpgid(0, 0);
	umask(start->order->umask);
	if (take_files(start) == 0)
		execve(start->arguments[0], start->arguments + 1,
		       start->environment);
	start->error = errno;
	_exit(127);
}

static int run_middle(void *argument)
{
	struct start *start = argument;

	start->pid = clone(run, start->stack, CLONE_VM | CLONE_VFORK | SIGCHLD,
			   start);
	if (start->pid < 0)
		start->error = errno;
	_exit(0);
}

/* ---- In the JVM ---- */

/*
 * Starts the child, which may trace this process. Returns the child's process,
 * or -errno.
 */
static int start_child(struct start *start)
{
	unsigned char *stacks =
		mmap(NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigset_t all, mask;
	int middle;

	if (stacks == MAP_FAILED)
		return -errno;
	start->stack = stacks + STACK_BYTES;
	start->pid = -1;
	sigfillset(&all);
	/* before glibc 2.32 pthread_sigmask() is in another library */
	sigprocmask(SIG_SETMASK, &all, &mask);
	middle = clone(run_middle, stacks + 2 * STACK_BYTES,
		       CLONE_VM | CLONE_VFORK, start);
	if (middle < 0)
		start->error = errno;
	else
		waitpid(middle, NULL, __WALL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	munmap(stacks, 2 * STACK_BYTES);
	if (start->error)
		return -start->error;
	if (start->pid < 0)
		return -ECHILD;
	/* fails where Yama does not restrict tracing */
	prctl(PR_SET_PTRACER, start->pid, 0, 0, 0);
	return start->pid;
}

/* The exited child is a child of this process only if no other one took it. */
static int end_child(const struct deputy_order *order)
{
	prctl(PR_SET_PTRACER, 0, 0, 0, 0);
	while (waitpid(order->pid, NULL, __WALL) < 0)
		if (errno != EINTR)
			break;
	return 0;
}

/* Receives exactly `bytes` bytes. Returns 0, or -1. */
static int receive(int channel, char *at, size_t bytes)
{
	while (bytes > 0) {
		const ssize_t got = recv(channel, at, bytes, MSG_WAITALL);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		at += got;
		bytes -= (size_t)got;
	}
	return 0;
}

/*
 * Receives an order, and the descriptors that come with it, which are -1 if
 * they do not come. Returns 0, or -1.
 */
static int receive_order(int channel, struct deputy_order *order, int *files)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(DEPUTY_FILES * sizeof(int))];
	} control = { 0 };
	struct iovec vector = { order, sizeof(*order) };
	struct msghdr message = {
		.msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	const struct cmsghdr *header;
	ssize_t got;

	do
		got = recvmsg(channel, &message,
			      MSG_WAITALL | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	header = CMSG_FIRSTHDR(&message);
	/* near the limit of descriptors fewer than the sent ones arrive */
	if (header && header->cmsg_type == SCM_RIGHTS)
		memcpy(files, CMSG_DATA(header),
		       header->cmsg_len - CMSG_LEN(0));
	return got == (ssize_t)sizeof(*order) &&
			       order->version == DEPUTY_VERSION
		       ? 0
		       : -1;
}

/*
 * Stores pointers to `count` strings at `to`, and NULL behind them. Returns the
 * end of these strings, or NULL if they do not end before `end`.
 */
static char *divide(char *at, char *end, uint32_t count, char **to)
{
	for (uint32_t i = 0; i < count; i++) {
		char *stop = memchr(at, '\0', (size_t)(end - at));

		if (!stop)
			return NULL;
		to[i] = at;
		at = stop + 1;
	}
	to[count] = NULL;
	return at;
}

/*
 * Starts the program that the order and its strings describe. Returns its
 * process, or -errno. Memory is mapped, because the JVM may have a malloc()
 * that does more than malloc().
 */
static int start_program(int channel, const struct deputy_order *order,
			 const int *files)
{
	/* the path precedes the arguments; NULL ends both lists */
	const size_t words = (size_t)order->arguments + order->variables + 3;
	const size_t bytes = words * sizeof(char *) + order->bytes;
	struct start start = { .order = order, .channel = channel };
	char **lists, *text, *rest;
	int result = -EPROTO;

	if (order->bytes > DEPUTY_BYTES_MAX ||
	    order->arguments > DEPUTY_STRINGS_MAX ||
	    order->variables > DEPUTY_STRINGS_MAX ||
	    files[DEPUTY_FILES - 1] < 0)
		return result;
	lists = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (lists == MAP_FAILED)
		return -errno;
	text = (char *)(lists + words);
	start.arguments = lists;
	start.environment = lists + order->arguments + 2;
	memcpy(start.files, files, sizeof(start.files));
	if (receive(channel, text, order->bytes) == 0 &&
	    (rest = divide(text, text + order->bytes, order->arguments + 1,
			   start.arguments)) &&
	    divide(rest, text + order->bytes, order->variables,
		   start.environment))
		result = start_child(&start);
	munmap(lists, bytes);
	return result;
}

static void obey(int channel)
{
	int files[DEPUTY_FILES] = { -1, -1, -1, -1 };
	struct deputy_answer answer = { .error = EPROTO };
	struct deputy_order order = { 0 };
	int result = -EPROTO;

	if (receive_order(channel, &order, files) == 0) {
		if (order.action == DEPUTY_RUN)
			result = start_program(channel, &order, files);
		else if (order.action == DEPUTY_END)
			result = end_child(&order);
		answer.error = result < 0 ? -result : 0;
		answer.pid = result;
	}
	send(channel, &answer, sizeof(answer), MSG_NOSIGNAL);
	for (int i = 0; i < DEPUTY_FILES; i++)
		if (files[i] >= 0)
			close(files[i]);
}

/*
 * Connects to the abstract socket of this name, which must belong to this
 * process's user. Returns the connection, or -1.
 */
static int connect_to(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t length = sizeof(peer);
	int channel;

	if (!name || strlen(name) >= sizeof(address.sun_path))
		return -1;
	memcpy(address.sun_path + 1, name, strlen(name));
	channel = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (channel < 0)
		return -1;
	/* The JVM's thread must not wait for ever for a clew that is stopped. */
	setsockopt(channel, SOL_SOCKET, SO_SNDTIMEO, &patience,
		   sizeof(patience));
	setsockopt(channel, SOL_SOCKET, SO_RCVTIMEO, &patience,
		   sizeof(patience));
	if (connect(channel, (const struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				strlen(name))) == 0 &&
	    getsockopt(channel, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
	    peer.uid == geteuid())
		return channel;
	close(channel);
	return -1;
}

/* The JVM calls this function (JVM TI). Returns 0 if clew has been reached. */
__attribute__((visibility("default"))) int32_t Agent_OnAttach(
	void *vm, const char *options, void *reserved);

int32_t Agent_OnAttach(void *vm, const char *options, void *reserved)
{
	const int channel = connect_to(options);

	(void)vm;
	(void)reserved;
	if (channel < 0)
		return 1;
	obey(channel);
	close(channel);
	return 0;
}
