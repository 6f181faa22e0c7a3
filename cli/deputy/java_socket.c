/* SPDX-License-Identifier: MIT */
/* See java_socket.h. */
#include "cli/deputy/java_socket.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/now.h"
#include "cli/target/target.h"

/* How long a JVM may take to create its socket. */
#define PATIENCE_NS UINT64_C(10000000000)
#define SHARED_NS   UINT64_C(1000000000)
#define ANSWER_MAX  4096

/* ---- The file of performance counters ---- */

/*
 * A JVM describes itself in /tmp/hsperfdata_USER/PID (perfMemory.hpp): a header
 * with the offset and number of entries. Each entry has a name and a value.
 */
#define COUNTERS_MAGIC     UINT32_C(0xcafec0c0) /* big-endian */
#define COUNTERS_MAX       (1 << 20)
#define COUNTERS_LITTLE    1
#define COUNTERS_FIRST_AT  24 /* where the offset of the first entry is */
#define CAPABILITIES       "sun.rt.jvmCapabilities"
#define CAPABILITY_PRESENT '1'

struct counter {
	uint32_t bytes, name, length;
	uint8_t type, flags, unit, variability;
	uint32_t value;
};

struct counters {
	const unsigned char *bytes;
	size_t size;
};

static uint32_t number_at(const struct counters *counters, size_t at)
{
	uint32_t number = 0;

	if (at <= counters->size && counters->size - at >= sizeof(number))
		memcpy(&number, counters->bytes + at, sizeof(number));
	return le32toh(number);
}

/* Returns whether the zero-terminated text at `at` equals `text`. */
static int has_text(const struct counters *counters, size_t at,
		    const char *text)
{
	const size_t bytes = strlen(text) + 1;

	return at <= counters->size && counters->size - at >= bytes &&
	       memcmp(counters->bytes + at, text, bytes) == 0;
}

/* Returns whether the counters say that the JVM accepts requests. */
static int accept_requests(const struct counters *counters)
{
	size_t at = number_at(counters, COUNTERS_FIRST_AT);
	uint32_t magic;

	if (counters->size < COUNTERS_FIRST_AT)
		return 0;
	memcpy(&magic, counters->bytes, sizeof(magic));
	if (be32toh(magic) != COUNTERS_MAGIC ||
	    counters->bytes[sizeof(magic)] != COUNTERS_LITTLE)
		return 0;
	while (at < counters->size) {
		const size_t entry = at;
		const uint32_t bytes = number_at(counters, entry);
		const size_t name =
			entry +
			number_at(counters,
				  entry + offsetof(struct counter, name));
		const size_t value =
			entry +
			number_at(counters,
				  entry + offsetof(struct counter, value));

		if (has_text(counters, name, CAPABILITIES))
			return value < counters->size &&
			       counters->bytes[value] == CAPABILITY_PRESENT;
		if (bytes < sizeof(struct counter))
			return 0;
		at += bytes;
	}
	return 0;
}

/* Returns when a process has started, as CLOCK_REALTIME, in seconds. */
static int64_t start_of(pid_t pid)
{
	const uint64_t now = now_ns(CLOCK_BOOTTIME) / 1000000000;
	const uint64_t start =
		target_start(pid) / (uint64_t)sysconf(_SC_CLK_TCK);

	return (int64_t)(now_ns(CLOCK_REALTIME) / 1000000000 - (now - start));
}

/*
 * Opens a file of clew's own user that is no link and was changed since this
 * time. Returns it, or -1.
 */
static int open_own(const char *path, int64_t since_s)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
					  O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (fd < 0)
		return -1;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    status.st_uid == geteuid() && status.st_mtime + 1 >= since_s)
		return fd;
	close(fd);
	return -1;
}

static int counters_accept_requests(pid_t pid)
{
	const struct passwd *user = getpwuid(geteuid());
	struct counters counters = { 0 };
	unsigned char *bytes;
	char *path;
	int fd, accept = 0;

	if (!user)
		return 0;
	path = memory_printf("/tmp/hsperfdata_%s/%d", user->pw_name, pid);
	/* A killed JVM leaves its file, and its id may be used again. */
	fd = open_own(path, start_of(pid));
	free(path);
	if (fd < 0)
		return 0;
	bytes = memory_zeroed(COUNTERS_MAX, 1);
	counters.bytes = bytes;
	counters.size = (size_t)pread(fd, bytes, COUNTERS_MAX, 0);
	if (counters.size <= COUNTERS_MAX)
		accept = accept_requests(&counters);
	free(bytes);
	close(fd);
	return accept;
}

/* ---- The socket ---- */

static void wait_at_most(int fd)
{
	const struct timeval patience = { .tv_sec = PATIENCE_NS / 1000000000 };

	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
}

int java_socket_is_of(int connection, pid_t pid)
{
	struct ucred peer = { 0 };
	socklen_t length = sizeof(peer);

	wait_at_most(connection);
	return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer,
			  &length) == 0 &&
	       peer.pid == pid && peer.uid == geteuid();
}

static char *path_of_socket(pid_t pid)
{
	return memory_printf("/tmp/.java_pid%d", pid);
}

/*
 * Connects to the JVM's socket. Returns the connection; or -errno, -ENOENT if
 * there is no socket of this process.
 */
static int connect_to(pid_t pid)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char *path = path_of_socket(pid);
	struct stat status;
	int fd, err = 0;

	/* Another user's socket could let clew wait for ever. */
	if (lstat(path, &status) != 0 || !S_ISSOCK(status.st_mode) ||
	    status.st_uid != geteuid())
		err = -ENOENT;
	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	free(path);
	if (err)
		return err;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	wait_at_most(fd);
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) !=
	    0)
		/* A socket that nobody hears is of an earlier process. */
		err = errno == ECONNREFUSED ? -ENOENT : -errno;
	else if (!java_socket_is_of(fd, pid))
		err = -ENOENT;
	if (!err)
		return fd;
	close(fd);
	return err;
}

/*
 * Returns whether the socket exists without its file. A JVM whose file was
 * deleted would print its stacks when SIGQUIT arrives.
 */
static int has_lost_file(pid_t pid)
{
	char *path = path_of_socket(pid), *line = NULL;
	FILE *file = fopen("/proc/net/unix", "re");
	size_t room = 0;
	int has = 0;

	while (file && !has && getline(&line, &room, file) >= 0) {
		const char *name = strstr(line, path);

		has = name && strspn(name + strlen(path), "0123456789") == 0;
	}
	if (file)
		fclose(file);
	free(line);
	free(path);
	return has;
}

int java_socket_is_there(pid_t pid)
{
	const uint64_t caught = (uint64_t)target_status(pid, "SigCgt", 16);
	const char state = target_thread_state(pid, pid);
	const int fd = connect_to(pid);

	if (fd >= 0) {
		close(fd);
		return 1;
	}
	return fd == -ENOENT && state != 'T' && state != 't' &&
	       caught != UINT64_MAX && caught >> (SIGQUIT - 1) & 1 &&
	       !has_lost_file(pid) && counters_accept_requests(pid);
}

/*
 * Creates the file that makes a JVM open its socket when SIGQUIT arrives.
 * Returns 0; -EEXIST if another process of this user has done so; or another
 * -errno and *why.
 */
static int make_wish(const char *path, char **why)
{
	struct stat status;
	const int file =
		open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC,
		     0600);
	const int err = file < 0 ? -errno : 0;

	if (!err)
		close(file);
	else if (err != -EEXIST)
		fail(why, err, "%s cannot be created: %s", path,
		     strerror(-err));
	else if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
		 status.st_uid != geteuid())
		return fail(why, -EPERM, "%s belongs to another user", path);
	return err;
}

/* Connects to a socket that the JVM is about to create. */
static int await_socket(pid_t pid, uint64_t patience_ns)
{
	const uint64_t deadline_ns = now_ns(CLOCK_MONOTONIC) + patience_ns;
	const struct timespec pause = { .tv_nsec = 5000000 };
	int fd;

	while ((fd = connect_to(pid)) == -ENOENT &&
	       now_ns(CLOCK_MONOTONIC) < deadline_ns)
		nanosleep(&pause, NULL);
	return fd;
}

/*
 * Makes the JVM create its socket, and connects to it. If the JVM does not
 * answer, the file stays: a JVM that finds none when it continues prints its
 * stacks. Returns the connection, or -errno and *why.
 */
static int wake(pid_t pid, char **why)
{
	char *path = memory_printf("/tmp/.attach_pid%d", pid);
	const int made = make_wish(path, why);
	int fd = made;

	/* Another process may have woken the JVM just now. */
	if (made == -EEXIST)
		fd = await_socket(pid, SHARED_NS);
	if (!made || fd == -ENOENT) {
		if (kill(pid, SIGQUIT) != 0)
			fd = fail(why, -errno, "it cannot be sent SIGQUIT: %s",
				  strerror(errno));
		else
			fd = await_socket(pid, PATIENCE_NS);
	}
	if (fd == -ENOENT)
		fail(why, fd, "it did not open its attach socket in 10 s");
	else if (!made)
		unlink(path);
	free(path);
	return fd;
}

int java_socket_load(pid_t pid, const char *library, const char *option,
		     int may_wake, char **why)
{
	char *request = NULL;
	size_t bytes;
	FILE *out;
	int fd = connect_to(pid);

	if (fd == -ENOENT && may_wake)
		fd = wake(pid, why);
	if (fd < 0 && !*why)
		return fail(why, fd, "its attach socket cannot be used: %s",
			    strerror(-fd));
	if (fd < 0)
		return fd;
	out = memory_stream(&request, &bytes);
	/* "true": the path is absolute */
	fprintf(out, "1%cload%c%s%ctrue%c%s%c", 0, 0, library, 0, 0, option, 0);
	fclose(out);
	if (send(fd, request, bytes, MSG_NOSIGNAL) != (ssize_t)bytes) {
		close(fd);
		fd = fail(why, -EIO, "it did not accept a request");
	}
	free(request);
	return fd;
}

char *java_socket_answer(int connection, int ms)
{
	struct pollfd readable = { .fd = connection, .events = POLLIN };
	char *text = memory_zeroed(ANSWER_MAX + 1, 1);
	size_t length = 0;
	ssize_t got;

	while (length < ANSWER_MAX && poll(&readable, 1, ms) > 0) {
		got = read(connection, text + length, ANSWER_MAX - length);
		if (got <= 0)
			break;
		length += (size_t)got;
	}
	while (length && text[length - 1] == '\n')
		text[--length] = '\0';
	for (char *at = text; *at; at++)
		if (*at == '\n')
			*at = ' ';
	return text;
}
