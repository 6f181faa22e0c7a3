/* SPDX-License-Identifier: MIT */
/* See guardian.h. */
#include "cli/attach/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/attach/attach_steps.h"
#include "cli/attach/detaching.h"
#include "cli/common/command.h"
#include "cli/target/live_process.h"

/* The name that `ps -o comm` shows. */
#define NAME "clew-guardian"

/* Time limit for detaching from one process, longer than all attempts take. */
#define DETACH_SECONDS 120

/*
 * How long the parent's locks may outlive it, and how long a remote call of the
 * parent may take to begin.
 */
#define LOCK_NS        UINT64_C(5000000000)
#define CALL_BEGINS_NS UINT64_C(500000000)

/* Number of processes from which the guardian detaches at the same time. */
#define CHILDREN_MAX 4

/*
 * Maximum number of searches for forked children: processes may fork while the
 * guardian detaches from others.
 */
#define ROUNDS_MAX 16

/*
 * The parent sends pids through the socket, and END when it has detached from
 * all.
 */
#define END 0

/* The guardian's descriptor of the socket. */
#define CHANNEL (STDERR_FILENO + 1)

struct guarded {
	const char *command;
	pid_t parent;
	pid_t *pids;
	size_t count, capacity;
};

/* ---- One process ---- */

/*
 * Returns whether detaching may succeed soon after this error. -EBUSY: the
 * parent's locks may still exist. -ENOENT: a thread in which the parent had
 * begun a call may not have executed it yet; until then the process looks as
 * though clew were not attached.
 */
static int may_change(int err, uint64_t start_ns)
{
	const uint64_t ns = tracer_now_ns() - start_ns;

	return (err == -EBUSY && ns < LOCK_NS) ||
	       (err == -ENOENT && ns < CALL_BEGINS_NS);
}

static int detach(const struct guarded *guarded, pid_t pid)
{
	const uint64_t start_ns = tracer_now_ns();
	char *why = NULL;
	int err;

	while (may_change(err = detaching_run(pid, guarded->command, 0, &why),
			  start_ns)) {
		free(why);
		why = NULL;
		attach_pause_ms(20);
	}
	if (err && err != -ENOENT && !target_has_ended(pid))
		complain(guarded->command, "process %d is still attached: %s",
			 pid, why);
	free(why);
	return err;
}

static void wait_for_one(size_t *children)
{
	while (*children && waitpid(-1, NULL, 0) < 0 && errno == EINTR)
		;
	--*children;
}

static void detach_in_child(const struct guarded *guarded, pid_t pid,
			    size_t *children)
{
	pid_t child;

	while (*children >= CHILDREN_MAX)
		wait_for_one(children);
	child = fork();
	if (child < 0) {
		detach(guarded, pid);
		return;
	}
	++*children;
	if (child)
		return;
	alarm(DETACH_SECONDS);
	_exit(detach(guarded, pid) ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* ---- All processes ---- */

/*
 * Detaches from all processes to which the parent is attached, as the processes
 * themselves report, such as forked children. Returns the number of these
 * processes, including those where detaching fails.
 */
static size_t detach_forked(const struct guarded *guarded)
{
	size_t count, found = 0, children = 0;
	struct live_process *all = live_processes(&count);

	for (size_t i = 0; i < count; i++) {
		if (all[i].attached_by == guarded->parent) {
			detach_in_child(guarded, all[i].pid, &children);
			found++;
		}
		live_process_fini(&all[i]);
	}
	while (children)
		wait_for_one(&children);
	free(all);
	return found;
}

static void detach_all(const struct guarded *guarded)
{
	size_t children = 0;

	if (!guarded->count)
		return;
	complain(guarded->command,
		 "clew attach (process %d) ended without detaching; detaching "
		 "from its processes now",
		 guarded->parent);
	for (size_t i = 0; i < guarded->count; i++)
		detach_in_child(guarded, guarded->pids[i], &children);
	while (children)
		wait_for_one(&children);
	for (int i = 0; i < ROUNDS_MAX && detach_forked(guarded); i++)
		;
}

/* ---- Waiting ---- */

/*
 * Receives pids from the parent. Returns 1 if the parent sends END, and 0 if
 * the socket is closed before.
 */
static int listen_to(struct guarded *guarded, int channel)
{
	pid_t pid;
	ssize_t got;

	do {
		got = recv(channel, &pid, sizeof(pid), 0);
		if (got != (ssize_t)sizeof(pid))
			continue;
		if (pid == END)
			return 1;
		guarded->pids =
			memory_grow(guarded->pids, guarded->count,
				    &guarded->capacity, sizeof(*guarded->pids));
		guarded->pids[guarded->count++] = pid;
	} while (got > 0 || (got < 0 && errno == EINTR));
	return 0;
}

/*
 * Waits until the parent has exited. When a process ends, the kernel closes its
 * socket before it releases the threads that the process traces.
 */
static void await_end(const struct guarded *guarded)
{
	while (getppid() == guarded->parent)
		attach_pause_ms(1);
}

static void become_guardian(int channel)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	/* A session of its own could wait long for the processor. */
	setpgid(0, 0);
	prctl(PR_SET_NAME, NAME);
	signal(SIGPIPE, SIG_IGN); /* The reader of stderr may have exited. */
	signal(SIGTTOU, SIG_IGN); /* Stderr may be the terminal. */
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(channel, CHANNEL);
	syscall(SYS_close_range, CHANNEL + 1, ~0U, 0);
}

static void guard(const char *command, pid_t parent, int channel)
{
	struct guarded guarded = { .command = command, .parent = parent };

	become_guardian(channel);
	if (!listen_to(&guarded, CHANNEL)) {
		await_end(&guarded);
		detach_all(&guarded);
	}
	free(guarded.pids);
}

/* ---- In the parent ---- */

void guardian_start(struct guardian *guardian, const char *command)
{
	const pid_t parent = getpid();
	int ends[2];

	*guardian = (struct guardian){ .channel = -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return;
	guardian->pid = fork();
	if (guardian->pid == 0) {
		guard(command, parent, ends[1]);
		_exit(EXIT_SUCCESS);
	}
	close(ends[1]);
	if (guardian->pid > 0)
		guardian->channel = ends[0];
	else
		close(ends[0]);
}

/*
 * Sends a pid or END to the guardian. Has no effect if there is no guardian or
 * it was killed.
 */
static void notify(const struct guardian *guardian, pid_t pid)
{
	if (guardian->channel >= 0)
		send(guardian->channel, &pid, sizeof(pid), MSG_NOSIGNAL);
}

void guardian_watch(const struct guardian *guardian, pid_t pid)
{
	notify(guardian, pid);
}

void guardian_end(struct guardian *guardian)
{
	if (guardian->channel < 0)
		return;
	notify(guardian, END);
	close(guardian->channel);
	while (waitpid(guardian->pid, NULL, 0) < 0 && errno == EINTR)
		;
	guardian->channel = -1;
}
