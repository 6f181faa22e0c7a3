/* SPDX-License-Identifier: MIT */
/*
 * System calls without libc.
 *
 * libc's wrappers may be hooked, set errno, or be cancellation points. These
 * functions return the kernel's result or -errno. They are safe in any thread
 * and signal handler.
 *
 * If the program has a system call filter (seccomp), clew's calls could kill
 * the program. From then on these functions make no call and return -ENOSYS
 * (filter.h), except those that are named "anyway". They also return -ENOSYS
 * for single calls that a filter forbids (wire/avoidable.h).
 */
#ifndef CLEW_SYS_SYS_H
#define CLEW_SYS_SYS_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "preload/hot/runtime.h"
#include "preload/sys/place.h"
#include "preload/sys/system_call.h"

/*
 * Makes a call even under a filter. Used for calls that the program itself has
 * requested.
 */
static inline long sys_call_anyway(long number, long a, long b, long c, long d,
				   long e, long f)
{
	return system_call(number, a, b, c, d, e, f);
}

static inline long sys_call(long number, long a, long b, long c, long d, long e,
			    long f)
{
	return runtime_is_filtered() || runtime_avoids(number)
		       ? -ENOSYS
		       : sys_call_anyway(number, a, b, c, d, e, f);
}

static inline int sys_failed(const void *address)
{
	return (unsigned long)address > -4096UL;
}

static inline void *sys_mmap(void *hint, size_t bytes, int prot, int flags,
			     int fd, off_t offset)
{
	return (void *)sys_call(SYS_mmap, (long)hint, (long)bytes, prot, flags,
				fd, offset);
}

/*
 * The protection of clew's memory. The CPU can read what it can write, so clew
 * itself can read the memory. But code of the program that walks
 * /proc/self/maps to read all memory, such as a crash handler or a garbage
 * collector, skips it.
 */
#define SYS_PROT_OURS PROT_WRITE

/* Returns private zeroed memory, or a negative errno as an address. */
static inline void *sys_map_private(size_t bytes)
{
	return place_map(bytes, SYS_PROT_OURS, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0);
}

static inline int sys_munmap(void *address, size_t bytes)
{
	int err = (int)sys_call(SYS_munmap, (long)address, (long)bytes, 0, 0, 0,
				0);

	if (!err)
		place_note_unmapped(address, bytes);
	return err;
}

static inline int sys_mprotect(void *address, size_t bytes, int prot)
{
	if (prot & PROT_EXEC &&
	    rt.avoided & (prot & PROT_WRITE ? WIRE_AVOIDS(writable_executable)
					    : WIRE_AVOIDS(executable)))
		return -EACCES;
	return (int)sys_call(SYS_mprotect, (long)address, (long)bytes, prot, 0,
			     0, 0);
}

static inline int sys_madvise(void *address, size_t bytes, int advice)
{
	return (int)sys_call(SYS_madvise, (long)address, (long)bytes, advice, 0,
			     0, 0);
}

static inline int sys_open(const char *path, int flags, int mode)
{
	return (int)sys_call(SYS_openat, AT_FDCWD, (long)path, flags, mode, 0,
			     0);
}

/* Checks access as the real user. Returns 0 or -errno. */
static inline int sys_access(const char *path, int mode)
{
	return (int)sys_call(SYS_faccessat, AT_FDCWD, (long)path, mode, 0, 0,
			     0);
}

static inline int sys_close(int fd)
{
	return (int)sys_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline long sys_read(int fd, void *buffer, size_t bytes)
{
	return sys_call(SYS_read, fd, (long)buffer, (long)bytes, 0, 0, 0);
}

static inline int sys_fstat(int fd, struct stat *st)
{
	return (int)sys_call(SYS_fstat, fd, (long)st, 0, 0, 0, 0);
}

/* Like lstat(): does not follow a symbolic link. */
static inline int sys_stat(const char *path, struct stat *st)
{
	return (int)sys_call(SYS_newfstatat, AT_FDCWD, (long)path, (long)st,
			     AT_SYMLINK_NOFOLLOW, 0, 0);
}

static inline int sys_truncate(const char *path, uint64_t bytes)
{
	return (int)sys_call(SYS_truncate, (long)path, (long)bytes, 0, 0, 0, 0);
}

static inline int sys_unlink(const char *path)
{
	return (int)sys_call(SYS_unlinkat, AT_FDCWD, (long)path, 0, 0, 0, 0);
}

/*
 * Reads a symbolic link. Returns the number of bytes, which are not terminated,
 * or -errno.
 */
static inline long sys_readlink(const char *path, char *out, size_t bytes)
{
	return sys_call(SYS_readlinkat, AT_FDCWD, (long)path, (long)out,
			(long)bytes, 0, 0);
}

static inline int sys_getrlimit(int resource, struct rlimit *limit)
{
	return (int)sys_call(SYS_prlimit64, 0, resource, 0, (long)limit, 0, 0);
}

static inline int sys_getpid(void)
{
	return (int)sys_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline int sys_gettid(void)
{
	return (int)sys_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

/*
 * Copies `count` ranges of this process's memory, up to the first byte that is
 * not readable. Returns the number of copied bytes, or -errno if there are
 * none. `tid` is a thread that exists; the pid does not work after the main
 * thread has ended.
 */
static inline long sys_copy_ranges(int tid, const struct iovec *to,
				   const struct iovec *from, size_t count)
{
	return sys_call(SYS_process_vm_readv, tid, (long)to, 1, (long)from,
			(long)count, 0);
}

/* Copies memory that may not be mapped. Returns 0 or -EFAULT. */
static inline int sys_read_memory_of(int tid, uint64_t at, void *out,
				     size_t bytes)
{
	const struct iovec to = { out, bytes };
	const struct iovec from = { (void *)at, bytes };

	return sys_copy_ranges(tid, &to, &from, 1) == (long)bytes ? 0 : -EFAULT;
}

static inline int sys_read_memory(uint64_t at, void *out, size_t bytes)
{
	return sys_read_memory_of(sys_gettid(), at, out, bytes);
}

/*
 * Returns whether a thread of this process still exists. Returns true also
 * under a system call filter.
 */
static inline int sys_thread_exists(int pid, int tid)
{
	return sys_call(SYS_tgkill, pid, tid, 0, 0, 0, 0) != -ESRCH;
}

#define SYS_POPULATE_WRITE 23 /* MADV_POPULATE_WRITE, since Linux 5.14 */

/*
 * Stored instead of the former mask if signals could not be blocked. The kernel
 * never reports this mask, because it contains SIGKILL.
 */
#define SYS_NOT_BLOCKED (~UINT64_C(0))

/*
 * Blocks all signals. *old becomes the argument of sys_restore_signals(). Under
 * a system call filter nothing is blocked; callers that depend on blocking
 * check runtime_is_filtered() first.
 */
static inline void sys_block_signals(uint64_t *old)
{
	uint64_t all = ~UINT64_C(0);

	*old = SYS_NOT_BLOCKED;
	__atomic_fetch_add(&rt.sections, 1, __ATOMIC_SEQ_CST);
	if (sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)old,
		     sizeof(all), 0, 0))
		__atomic_fetch_sub(&rt.sections, 1, __ATOMIC_SEQ_CST);
}

/*
 * Restores the signal mask that sys_block_signals() has stored, even if a
 * filter was requested since: the filter is not installed before this
 * (filter.h).
 */
static inline void sys_restore_signals(const uint64_t *old)
{
	if (*old == SYS_NOT_BLOCKED)
		return;
	sys_call_anyway(SYS_rt_sigprocmask, SIG_SETMASK, (long)old, 0,
			sizeof(*old), 0, 0);
	__atomic_fetch_sub(&rt.sections, 1, __ATOMIC_SEQ_CST);
}

/*
 * Returns the time of a clock in ns. Returns 0 if the clock does not exist, or
 * under a system call filter.
 */
static inline uint64_t sys_clock_ns(int clock)
{
	struct timespec ts;

	if (sys_call(SYS_clock_gettime, clock, (long)&ts, 0, 0, 0, 0))
		return 0;
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

#endif
