/* SPDX-License-Identifier: MIT */
/* Entries of /proc/PID/pagemap, one for each page of memory (proc(5)). */
#ifndef CLEW_SYS_PAGEMAP_H
#define CLEW_SYS_PAGEMAP_H

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "machine/address_space.h"
#include "preload/sys/sys.h"

/* The page is in RAM or swapped out. */
#define PAGEMAP_IS_THERE (UINT64_C(3) << 62)

/*
 * Stores the entries of `count` pages from the address `at` on. `pagemap` is a
 * descriptor of the file. Returns 0; or -EIO beyond the process's addresses, or
 * another -errno: then some entries may be stored. Safe in signal handlers.
 */
static inline int pagemap_read(int pagemap, uint64_t at, uint64_t count,
			       uint64_t *entries)
{
	const uint64_t bytes = count * sizeof(*entries);
	const uint64_t offset = at / PAGE_BYTES * sizeof(*entries);
	const long got = sys_call(SYS_pread64, pagemap, (long)entries,
				  (long)bytes, (long)offset, 0, 0);

	if (got < 0)
		return (int)got;
	return got == (long)bytes ? 0 : -EIO;
}

#endif
