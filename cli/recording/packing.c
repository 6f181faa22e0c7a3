/* SPDX-License-Identifier: MIT */
/* See packing.h. */
#include "cli/recording/packing.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/regular_file.h"
#include "base/suffix.h"
#include "cli/recording/file_writers.h"
#include "report/recording/part_packing.h"
#include "wire/recording.h"

#define MIB (UINT64_C(1) << 20)
/*
 * Data of the parts that are packed. Packing a part needs about three times as
 * much memory.
 */
#define PART_BYTES_MIN MIB
#define PART_BYTES_MAX (64 * MIB)
#define EVENTS_BYTES   16384
/* The greatest value that mallopt(3) accepts. */
#define MMAP_BYTES_MIN ((int)(32 * MIB))

struct packing {
	int folder_fd, notify_fd;
	/* Parts that were not sent to the child yet. */
	char **names;
	size_t count, capacity;
	pid_t child; /* 0: it was not started; -1: it could not be started */
	/* The names of parts go to the child, each followed by '\n'. */
	int names_fd;
};

struct packing *packing_begin(const char *folder)
{
	struct packing new = {
		.folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.notify_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
	};
	struct packing *packing;

	if (new.folder_fd < 0 || new.notify_fd < 0 ||
	    inotify_add_watch(new.notify_fd, folder, IN_CREATE | IN_ONLYDIR) <
		    0) {
		if (new.folder_fd >= 0)
			close(new.folder_fd);
		if (new.notify_fd >= 0)
			close(new.notify_fd);
		return NULL;
	}
	packing = memory_zeroed(1, sizeof(*packing));
	*packing = new;
	return packing;
}

static void add_name(struct packing *packing, const char *name)
{
	if (!suffix_stem(name, WIRE_PART_SUFFIX))
		return;
	packing->names =
		memory_grow(packing->names, packing->count, &packing->capacity,
			    sizeof(*packing->names));
	packing->names[packing->count++] = memory_printf("%s", name);
}

static void take_events(struct packing *packing)
{
	_Alignas(struct inotify_event) char events[EVENTS_BYTES];
	ssize_t bytes;

	while ((bytes = read(packing->notify_fd, events, sizeof(events))) > 0)
		for (ssize_t at = 0; at < bytes;) {
			const struct inotify_event *event =
				(const void *)(events + at);

			if (event->len > 0)
				add_name(packing, event->name);
			at += (ssize_t)(sizeof(*event) + event->len);
		}
}

/* ---- Parts ---- */

/* Returns whether the process to which the part's name belongs has ended. */
static int has_ended(const char *name)
{
	const long pid = strtol(name, NULL, 10);

	return pid > 0 && pid <= INT_MAX && !process_is_alive((pid_t)pid);
}

enum part_fate { PART_STAYS, PART_IS_WRITTEN, PART_IS_READY };

/* Returns what to do with a part whose process has ended. */
static enum part_fate fate_of(int folder_fd, const char *name)
{
	const int fd =
		regular_file_open_at(folder_fd, name, O_RDONLY | O_NOFOLLOW);
	struct stat status;
	uint64_t bytes;
	enum part_fate fate = PART_STAYS;

	if (fd < 0)
		return PART_STAYS;
	bytes = fstat(fd, &status) == 0 ? (uint64_t)status.st_blocks * 512 : 0;
	if (bytes >= PART_BYTES_MIN && bytes <= PART_BYTES_MAX &&
	    status.st_nlink == 1)
		fate = file_is_written(fd) ? PART_IS_WRITTEN : PART_IS_READY;
	close(fd);
	return fate;
}

/* ---- The child ---- */

/* If memory is short, the kernel ends this process and not the target. */
static void become_victim(void)
{
	const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "1000", 4) != 4)
		_exit(EXIT_FAILURE);
	if (fd >= 0)
		close(fd);
}

/* Packs a part in the current folder. On failure it stays as it is. */
static void pack(const char *name)
{
	const int fd = regular_file_open(name, O_RDWR | O_NOFOLLOW);
	struct part_copy part;
	char *why;

	if (fd < 0)
		return;
	if (part_open_some(&part, name, PART_COUNT_KINDS, &why) == 0) {
		part_pack(&part, fd);
		part_close(&part);
	} else {
		free(why);
	}
	close(fd);
}

/*
 * In the child: packs parts whose names it reads, until clew closes the other
 * end. Signals of the terminal are for the target.
 */
_Noreturn static void pack_all(const struct packing *packing, int names_fd,
			       pid_t parent)
{
	FILE *names = fdopen(names_fd, "r");
	char *name = NULL;
	size_t room = 0;
	ssize_t length;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!names || getppid() != parent || fchdir(packing->folder_fd) != 0)
		_exit(EXIT_FAILURE);
	become_victim();
	/* Keep freed memory for the next part: new pages cost much time. */
	mallopt(M_MMAP_THRESHOLD, MMAP_BYTES_MIN);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	while ((length = getline(&name, &room, names)) > 1) {
		name[length - 1] = '\0';
		pack(name);
	}
	_exit(EXIT_SUCCESS);
}

/* Starts the child, unless it was started. Returns whether there is one. */
static int has_child(struct packing *packing)
{
	const pid_t self = getpid();
	int pipe_fds[2];

	if (packing->child)
		return packing->child > 0;
	packing->child = -1;
	if (pipe2(pipe_fds, O_CLOEXEC) != 0)
		return 0;
	packing->child = fork();
	if (packing->child == 0) {
		close(pipe_fds[1]);
		pack_all(packing, pipe_fds[0], self);
	}
	close(pipe_fds[0]);
	packing->names_fd = pipe_fds[1];
	if (packing->child > 0 &&
	    fcntl(packing->names_fd, F_SETFL, O_NONBLOCK) == 0)
		return 1;
	close(packing->names_fd);
	return 0;
}

/* Returns whether the child gets the name. Names are shorter than PIPE_BUF. */
static int send_name(const struct packing *packing, const char *name)
{
	char line[NAME_MAX + 2];
	const int length = snprintf(line, sizeof(line), "%s\n", name);

	return write(packing->names_fd, line, (size_t)length) == length;
}

/* Returns whether the part needs no further check. */
static int is_settled(struct packing *packing, const char *name)
{
	switch (has_ended(name) ? fate_of(packing->folder_fd, name)
				: PART_IS_WRITTEN) {
	case PART_IS_WRITTEN:
		return 0;
	case PART_IS_READY:
		return !has_child(packing) || send_name(packing, name);
	case PART_STAYS:
	default:
		return 1;
	}
}

void packing_poll(struct packing *packing)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction before_io, before_pipe;
	size_t left = 0;

	take_events(packing);
	if (!packing->count)
		return;
	/* See file_is_written(). The child may have ended. */
	sigaction(SIGIO, &ignore, &before_io);
	sigaction(SIGPIPE, &ignore, &before_pipe);
	for (size_t i = 0; i < packing->count; i++) {
		char *name = packing->names[i];

		if (is_settled(packing, name))
			free(name);
		else
			packing->names[left++] = name;
	}
	packing->count = left;
	sigaction(SIGIO, &before_io, NULL);
	sigaction(SIGPIPE, &before_pipe, NULL);
}

void packing_end(struct packing *packing)
{
	if (!packing)
		return;
	if (packing->child > 0) {
		kill(packing->child, SIGKILL);
		waitpid(packing->child, NULL, 0);
		close(packing->names_fd);
	}
	for (size_t i = 0; i < packing->count; i++)
		free(packing->names[i]);
	free(packing->names);
	close(packing->notify_fd);
	close(packing->folder_fd);
	free(packing);
}
