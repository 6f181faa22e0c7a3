/* SPDX-License-Identifier: MIT */
/* See enlarge.h. */
#include "preload/sys/enlarge.h"

#include <sys/uio.h>

#include "preload/sys/sys.h"

#define ZEROS_BYTES 4096
#define ZEROS_PARTS 16
#define SIZE_SIGNAL (UINT64_C(1) << (SIGXFSZ - 1))

static int is_size_signal_pending(void)
{
	uint64_t pending = 0;

	sys_call(SYS_rt_sigpending, (long)&pending, sizeof(pending), 0, 0, 0,
		 0);
	return (pending & SIZE_SIGNAL) != 0;
}

static void forget_size_signal(void)
{
	const struct timespec now = { 0 };
	const uint64_t set = SIZE_SIGNAL;

	sys_call(SYS_rt_sigtimedwait, (long)&set, 0, (long)&now, sizeof(set), 0,
		 0);
}

/*
 * Makes the system call with SIGXFSZ blocked, and then discards a SIGXFSZ that
 * is pending for this thread, unless it was pending before.
 */
static long call(long number, long file, long a, long b, long c)
{
	uint64_t signals;
	long result;
	int was_pending;

	sys_block_signals(&signals);
	was_pending = is_size_signal_pending();
	result = sys_call(number, file, a, b, c, 0, 0);
	if (result == -EFBIG && !was_pending)
		forget_size_signal();
	sys_restore_signals(&signals);
	return result;
}

int enlarge_file(int fd, uint64_t bytes)
{
	return (int)call(SYS_ftruncate, fd, (long)bytes, 0, 0);
}

int enlarge_named(const char *path, uint64_t bytes)
{
	return (int)call(SYS_truncate, (long)path, (long)bytes, 0, 0);
}

long enlarge_by_write(int fd, const void *buffer, size_t bytes)
{
	return call(SYS_write, fd, (long)buffer, (long)bytes, 0);
}

/* The zeros are static, because the stack may be small. */
long enlarge_by_zeros(int fd, uint64_t bytes, uint64_t offset)
{
	static const unsigned char zeros[ZEROS_BYTES];
#define ZEROS_2                                                                \
	{ (void *)zeros, ZEROS_BYTES },                                        \
	{                                                                      \
		(void *)zeros, ZEROS_BYTES                                     \
	}
#define ZEROS_8 ZEROS_2, ZEROS_2, ZEROS_2, ZEROS_2
	static const struct iovec parts[] = { ZEROS_8, ZEROS_8 };
	const uint64_t count = bytes / ZEROS_BYTES;

	return call(SYS_pwritev, fd, (long)parts,
		    (long)(count < ZEROS_PARTS ? count : ZEROS_PARTS),
		    (long)offset);
}

long enlarge_by_pwrite(int fd, const void *buffer, size_t bytes,
		       uint64_t offset)
{
	return call(SYS_pwrite64, fd, (long)buffer, (long)bytes, (long)offset);
}
