/* SPDX-License-Identifier: MIT */
/* See memory_file.h. */
#include "cli/attach/memory_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file_copy.h"
#include "base/memory.h"
#include "cli/attach/attach_steps.h"
#include "cli/attach/remote_call.h"
#include "wire/avoidable.h"

/*
 * The file's name ends as a path of the library, by which clew finds the
 * mapping.
 */
#define PREFIX "clew/"

/* since Linux 6.3: the file may be executed although vm.memfd_noexec is 1 */
#ifndef MFD_EXEC
#define MFD_EXEC 0x10U
#endif

static char *descriptor_path(pid_t pid, const char *number)
{
	return memory_printf("/proc/%d/fd/%s", pid, number);
}

/* Returns whether a file is one that memfd_create() has made. */
static int is_in_memory(const struct stat *status)
{
	const int own = memfd_create(PREFIX, MFD_CLOEXEC);
	struct stat own_status;
	const int is = own >= 0 && fstat(own, &own_status) == 0 &&
		       status->st_dev == own_status.st_dev &&
		       S_ISREG(status->st_mode) && status->st_nlink == 0;

	if (own >= 0)
		close(own);
	return is;
}

static int is_ours(pid_t pid, const char *number, const char *name)
{
	char *path = descriptor_path(pid, number);
	char *wanted = memory_printf("/memfd:" PREFIX "%s (deleted)", name);
	char link[NAME_MAX] = "";
	struct stat status;
	const int is = readlink(path, link, sizeof(link) - 1) > 0 &&
		       strcmp(link, wanted) == 0 && stat(path, &status) == 0 &&
		       is_in_memory(&status);

	free(wanted);
	free(path);
	return is;
}

/* Returns the process's descriptor of the file, or -ENOENT. */
static int find(pid_t pid, const char *name)
{
	char *path = descriptor_path(pid, "");
	DIR *folder = opendir(path);
	const struct dirent *entry;
	int found = -ENOENT;

	free(path);
	while (folder && found < 0 && (entry = readdir(folder)))
		if (is_ours(pid, entry->d_name, name))
			found = atoi(entry->d_name);
	if (folder)
		closedir(folder);
	return found;
}

/*
 * Calls a function of libc with two arguments in a safe thread. If `text` is
 * not NULL, its address is the first argument instead. Returns 0, or -errno and
 * *why.
 */
static int call(struct attaching *attaching, const char *name, const char *text,
		uint64_t first, uint64_t second, char **why)
{
	const struct target_mapping *libc =
		target_module(&attaching->maps, TARGET_LIBC);
	const uint64_t function =
		libc ? target_symbol(attaching->pid, libc, name) : 0;
	struct remote_call call;
	int err;

	if (!function)
		return fail(why, -ENOTSUP, "its C library has no %s()", name);
	err = attach_stop_safe_thread(attaching, why);
	if (err)
		return err;
	err = attach_begin_call(attaching, &call, 0, text ? text : "",
				text ? strlen(text) + 1 : 1, why);
	if (!err) {
		const uint64_t arguments[REMOTE_ARGUMENTS] = { text ? call.data
								    : first,
							       second };

		err = remote_run(&call, function, arguments, ATTACH_CALL_NS);
		if (err)
			attach_explain_call(err, why);
		remote_end(&call);
	}
	attach_release_one(attaching);
	return err;
}

int memory_file_make(struct attaching *attaching, const char *name, char **why)
{
	/* Kernels before 6.3 refuse the second flag. */
	static const uint64_t flags[] = { MFD_CLOEXEC | MFD_EXEC, MFD_CLOEXEC };
	char *whole;
	int number = find(attaching->pid, name), err = 0;

	if (attaching->avoided & WIRE_AVOIDS(memfd_create))
		return fail(why, -EPERM,
			    "its seccomp filter forbids memfd_create()");
	whole = memory_printf(PREFIX "%s", name);
	for (size_t i = 0; i < 2 && number < 0 && !err; i++) {
		err = call(attaching, "memfd_create", whole, 0, flags[i], why);
		number = find(attaching->pid, name);
	}
	free(whole);
	if (err)
		return err;
	return number < 0
		       ? fail(why, number, "it cannot create a file in memory")
		       : number;
}

static int open_to_write(const char *path)
{
	struct stat status;
	int fd;

	if (stat(path, &status) != 0)
		return -errno;
	if (!is_in_memory(&status))
		return -EBADF;
	fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) == 0 && is_in_memory(&status))
		return fd;
	close(fd);
	return -EBADF;
}

int memory_file_write(const struct attaching *attaching, int number,
		      const char *from, char **why)
{
	char *path = memory_printf("/proc/%d/fd/%d", attaching->pid, number);
	const int in = open(from, O_RDONLY | O_CLOEXEC);
	const int out = in < 0 ? -errno : open_to_write(path);
	int err = out < 0 ? out : 0;

	if (!err && ftruncate(out, 0) != 0)
		err = -errno;
	if (!err)
		err = file_copy(in, out);
	if (out >= 0)
		close(out);
	if (in >= 0)
		close(in);
	free(path);
	return err ? fail(why, err, "its file in memory cannot be written: %s",
			  strerror(-err))
		   : 0;
}

int memory_file_close(struct attaching *attaching, int number, char **why)
{
	return call(attaching, "close", NULL, (uint64_t)number, 0, why);
}

int memory_file_close_left(struct attaching *attaching, const char *name,
			   char **why)
{
	const int number = find(attaching->pid, name);

	return number < 0 ? 0 : memory_file_close(attaching, number, why);
}

char *memory_file_path(int number, int attempt)
{
	return memory_printf("/proc/self/fd%.*s/%d", attempt, "////////",
			     number);
}
