/* SPDX-License-Identifier: MIT */
/*
 * The libc functions by which libclew.so and the modules in it call the kernel,
 * as system calls. Calls in libclew.so lead to these definitions and not to
 * libc's. Other modules do not find them (exports.map).
 *
 * The program, or another preloaded library, may have such functions of its
 * own. Those may not work if clew calls them before libc is initialised:
 * fakeroot's fstat(), for example, would read its settings from an environment
 * that does not exist yet, and never again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "preload/host/private_libc.h"
#include "preload/sys/enlarge.h"
#include "preload/sys/sys.h"

/* Converts -errno to -1 and errno, as in libc. */
static long result_of(long result)
{
	if (!sys_failed((const void *)result))
		return result;
	errno = (int)-result;
	return -1;
}

int open(const char *path, int flags, ...)
{
	va_list arguments;
	int mode;

	va_start(arguments, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0;
	va_end(arguments);
	return (int)result_of(sys_open(path, flags, mode));
}

int close(int fd)
{
	return (int)result_of(sys_close(fd));
}

ssize_t read(int fd, void *buffer, size_t bytes)
{
	return result_of(sys_read(fd, buffer, bytes));
}

ssize_t write(int fd, const void *buffer, size_t bytes)
{
	return result_of(enlarge_by_write(fd, buffer, bytes));
}

ssize_t pread(int fd, void *buffer, size_t bytes, off_t offset)
{
	return result_of(sys_call(SYS_pread64, fd, (long)buffer, (long)bytes,
				  offset, 0, 0));
}

int fstat(int fd, struct stat *status)
{
	return (int)result_of(sys_fstat(fd, status));
}

int stat(const char *path, struct stat *status)
{
	return (int)result_of(sys_call(SYS_newfstatat, AT_FDCWD, (long)path,
				       (long)status, 0, 0, 0));
}

/* Before glibc 2.33, its headers call fstat() and stat() by these names. */
int __fxstat(int version, int fd, struct stat *status);
int __xstat(int version, const char *path, struct stat *status);

int __fxstat(int version, int fd, struct stat *status)
{
	return (int)result_of(sys_fstat(fd, status));
}

int __xstat(int version, const char *path, struct stat *status)
{
	return (int)result_of(sys_call(SYS_newfstatat, AT_FDCWD, (long)path,
				       (long)status, 0, 0, 0));
}

int fstatfs(int fd, struct statfs *status)
{
	return (int)result_of(
		sys_call(SYS_fstatfs, fd, (long)status, 0, 0, 0, 0));
}

int mkdir(const char *path, mode_t mode)
{
	return (int)result_of(sys_call(SYS_mkdirat, AT_FDCWD, (long)path,
				       (long)mode, 0, 0, 0));
}

int symlink(const char *target, const char *path)
{
	return (int)result_of(sys_call(SYS_symlinkat, (long)target, AT_FDCWD,
				       (long)path, 0, 0, 0));
}

ssize_t readlink(const char *path, char *target, size_t bytes)
{
	return result_of(sys_call(SYS_readlinkat, AT_FDCWD, (long)path,
				  (long)target, (long)bytes, 0, 0));
}

void *private_mmap(void *hint, size_t bytes, int protection, int flags, int fd,
		   off_t offset)
{
	if (flags & MAP_ANONYMOUS && protection & PROT_WRITE)
		protection = SYS_PROT_OURS;
	return (void *)result_of(
		(long)place_map(bytes, protection, flags, fd, offset));
}

int private_munmap(void *address, size_t bytes)
{
	return (int)result_of(sys_munmap(address, bytes));
}

int rename(const char *from, const char *to)
{
	return (int)result_of(sys_call(SYS_renameat2, AT_FDCWD, (long)from,
				       AT_FDCWD, (long)to, 0, 0));
}

int unlink(const char *path)
{
	return (int)result_of(sys_unlink(path));
}

char *getcwd(char *buffer, size_t bytes)
{
	long length =
		sys_call(SYS_getcwd, (long)buffer, (long)bytes, 0, 0, 0, 0);

	return result_of(length) < 0 ? NULL : buffer;
}

uid_t geteuid(void)
{
	return (uid_t)sys_call(SYS_geteuid, 0, 0, 0, 0, 0, 0);
}

pid_t getpid(void)
{
	return sys_getpid();
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	return (int)result_of(
		sys_call(SYS_clock_gettime, clock, (long)time, 0, 0, 0, 0));
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
	return (int)result_of(
		sys_call(SYS_nanosleep, (long)time, (long)left, 0, 0, 0, 0));
}

int flock(int fd, int operation)
{
	return (int)result_of(sys_call(SYS_flock, fd, operation, 0, 0, 0, 0));
}
