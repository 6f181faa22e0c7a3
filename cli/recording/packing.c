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
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/new_files.h"
#include "base/regular_file.h"
#include "cli/recording/file_writers.h"
#include "report/recording/part_packing.h"
#include "wire/recording.h"

#define MIB (UINT64_C(1) << 20)
/*
 * Data of the parts that are packed. Packing a part needs about three times as
 * much memory.
 */
#define PART_BYTES_MIN MIB
#define PART_BYTES_MAX (32 * MIB)
/* The greatest value that mallopt(3) accepts. */
#define MMAP_BYTES_MIN ((int)(32 * MIB))
/* The child keeps at most this much freed memory for the next part. */
#define KEPT_BYTES_MAX ((int)(32 * MIB))
/* The child's only descriptor besides stdin, stdout and stderr. */
#define NAMES_FD 3

struct packing {
	int folder_fd;
	struct new_files *new_files;
	/* Parts that were not sent to the child yet. */
	char **names;
	size_t count, capacity;
	pid_t child; /* 0: it was not started; -1: there is none any more */
	/* The names of parts go to the child, each followed by '\n'. */
	int names_fd;
};

/* ---- Watching the folder ---- */

struct packing *packing_begin(const char *folder)
{
	struct packing new = {
		.folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.new_files = new_files_begin(folder),
	};
	struct packing *packing;

	if (new.folder_fd < 0 || !new.new_files) {
		if (new.folder_fd >= 0)
			close(new.folder_fd);
		new_files_end(new.new_files);
		return NULL;
	}
	packing = memory_zeroed(1, sizeof(*packing));
	*packing = new;
	return packing;
}

/* Returns whether the name is PID.SEQ.part. */
static int is_part(const char *name)
{
	const size_t pid = strspn(name, "0123456789");
	const size_t seq =
		name[pid] == '.' ? strspn(name + pid + 1, "0123456789") : 0;

	return pid && seq &&
	       strcmp(name + pid + 1 + seq, WIRE_PART_SUFFIX) == 0;
}

static void add_name(void *context, const char *name)
{
	struct packing *packing = context;

	if (!is_part(name))
		return;
	packing->names =
		memory_grow(packing->names, packing->count, &packing->capacity,
			    sizeof(*packing->names));
	packing->names[packing->count++] = memory_printf("%s", name);
}

/* ---- Parts ---- */

/* Returns whether the process to which the part's name belongs has ended. */
static int has_ended(const char *name)
{
	const long pid = strtol(name, NULL, 10);

	return pid > 0 && pid <= INT_MAX && !process_is_alive((pid_t)pid);
}

enum part_fate { PART_STAYS, PART_IS_WRITTEN, PART_IS_READY };

/* Returns what to do with the part at `fd` whose process has ended. */
static enum part_fate fate_of(int fd)
{
	struct wire_header header;
	struct stat status;
	uint64_t bytes;

	if (fstat(fd, &status) != 0 || status.st_nlink != 1 ||
	    pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    header.end > WIRE_PACKED_BYTES_MAX)
		return PART_STAYS;
	bytes = (uint64_t)status.st_blocks * 512;
	if (bytes < PART_BYTES_MIN || bytes > PART_BYTES_MAX)
		return PART_STAYS;
	if (!file_is_written(fd))
		return PART_IS_READY;
	return errno == EAGAIN ? PART_IS_WRITTEN : PART_STAYS;
}

static int open_part(int folder_fd, const char *name)
{
	return regular_file_open_at(folder_fd, name, O_RDONLY | O_NOFOLLOW);
}

/*
 * Returns whether a file of the folder can have holes, and whether a lease is
 * refused for as long as it is mapped, and granted afterwards. Stacked file
 * systems such as overlayfs grant the lease always, others never. The file stays
 * empty, because a limit on file sizes would end clew by a signal.
 */
static int is_suitable(int folder_fd)
{
	const int fd =
		openat(folder_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char link[32];
	void *page;
	int reader, is_so;

	if (fd < 0)
		return 0;
	page = mmap(NULL, WIRE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
		    fd, 0);
	is_so = page != MAP_FAILED &&
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			  WIRE_PAGE_BYTES) == 0;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	reader = open(link, O_RDONLY | O_CLOEXEC);
	close(fd);
	is_so = is_so && reader >= 0 && file_is_written(reader) &&
		errno == EAGAIN;
	if (page != MAP_FAILED)
		munmap(page, WIRE_PAGE_BYTES);
	is_so = is_so && !file_is_written(reader);
	if (reader >= 0)
		close(reader);
	return is_so;
}

/* ---- The child ---- */

/* If memory is short, the kernel prefers to end this process. */
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
	const int fd = open_part(AT_FDCWD, name);
	struct part_copy part;
	char link[32], *why;
	int writer;

	if (fd < 0)
		return;
	/* Both descriptors are of one file, whatever its name leads to. */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (has_ended(name) && fate_of(fd) == PART_IS_READY) {
		writer = regular_file_open(link, O_RDWR);
		if (part_open_some(&part, link, PART_COUNT_KINDS, &why) == 0) {
			part_pack(&part, writer);
			part_close(&part);
		} else {
			free(why);
		}
		if (writer >= 0)
			close(writer);
	}
	close(fd);
}

/* Releases everything of clew's that the child does not need. */
static void let_go(const struct packing *packing, int names_fd, pid_t parent)
{
	static const struct rlimit no_core;
	sigset_t all;
	int null;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* names_fd may be one of the first if clew was started without them */
	if (getppid() != parent || fchdir(packing->folder_fd) != 0 ||
	    dup2(names_fd, NAMES_FD) < 0)
		_exit(EXIT_FAILURE);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		_exit(EXIT_FAILURE);
	for (int fd = 0; fd < NAMES_FD; fd++)
		dup2(null, fd);
	syscall(SYS_close_range, NAMES_FD + 1, ~0U, 0);
	setrlimit(RLIMIT_CORE, &no_core);
	become_victim();
}

/*
 * In the child: packs parts whose names it reads, until clew closes the other
 * end.
 */
_Noreturn static void pack_all(const struct packing *packing, int names_fd,
			       pid_t parent)
{
	FILE *names;
	char *name = NULL;
	size_t room = 0;
	ssize_t length;

	let_go(packing, names_fd, parent);
	names = fdopen(NAMES_FD, "r");
	/* Keep freed memory for the next part: new pages cost much time. */
	mallopt(M_MMAP_THRESHOLD, MMAP_BYTES_MIN);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES_MAX);
	while (names && (length = getline(&name, &room, names)) > 1) {
		name[length - 1] = '\0';
		pack(name);
	}
	_exit(EXIT_SUCCESS);
}

/* ---- The parent ---- */

/*
 * Starts the child, unless it was started or the file system is not suitable.
 * Returns whether there is one.
 */
static int has_child(struct packing *packing)
{
	const pid_t self = getpid();
	int pipe_fds[2];

	if (packing->child)
		return packing->child > 0;
	packing->child = -1;
	if (!is_suitable(packing->folder_fd) || pipe2(pipe_fds, O_CLOEXEC) != 0)
		return 0;
	if (fcntl(pipe_fds[1], F_SETFL, O_NONBLOCK) == 0) {
		fflush(NULL);
		packing->child = fork();
	}
	if (packing->child == 0)
		pack_all(packing, pipe_fds[0], self);
	close(pipe_fds[0]);
	packing->names_fd = pipe_fds[1];
	if (packing->child > 0)
		return 1;
	close(packing->names_fd);
	return 0;
}

static void end_child(struct packing *packing)
{
	if (packing->child > 0) {
		kill(packing->child, SIGKILL);
		waitpid(packing->child, NULL, 0);
		close(packing->names_fd);
	}
	packing->child = -1;
}

/*
 * Sends a name to the child. Returns 0 if the name must be sent again later,
 * because the pipe is full.
 */
static int send_name(struct packing *packing, const char *name)
{
	char line[NAME_MAX + 2];
	const int length = snprintf(line, sizeof(line), "%s\n", name);

	/* Names are shorter than PIPE_BUF, so they are written as a whole. */
	if (write(packing->names_fd, line, (size_t)length) == length)
		return 1;
	if (errno == EAGAIN)
		return 0;
	end_child(packing);
	return 1;
}

/* Returns whether the part needs no further check. */
static int is_settled(struct packing *packing, const char *name)
{
	enum part_fate fate;
	int fd;

	if (packing->child < 0)
		return 1;
	if (!has_ended(name))
		return 0;
	fd = open_part(packing->folder_fd, name);
	fate = fd < 0 ? PART_STAYS : fate_of(fd);
	if (fd >= 0)
		close(fd);
	if (fate == PART_IS_READY)
		return !has_child(packing) || send_name(packing, name);
	return fate == PART_STAYS;
}

void packing_poll(struct packing *packing)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction before_io, before_pipe;
	size_t left = 0;

	new_files_each(packing->new_files, add_name, packing);
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
	end_child(packing);
	for (size_t i = 0; i < packing->count; i++)
		free(packing->names[i]);
	free(packing->names);
	new_files_end(packing->new_files);
	close(packing->folder_fd);
	free(packing);
}
