/* SPDX-License-Identifier: MIT */
#include "preload/shadow.h"

#include <stdatomic.h>

#include "preload/hot/count.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/timing.h"
#include "preload/sys.h"

#define ZERO_DEVICE ((1 << 8) | 5) /* st_rdev of /dev/zero */

/* One entry for each piece of a region. */
#define DIRECTORY_BYTES                                                        \
	(sizeof(uint64_t) << (SHADOW_REGION_SHIFT - SHADOW_PIECE_SHIFT))

/*
 * The terabytes of the shadow are not to be taken for the program's memory by
 * a crash handler that tests it, or a collector that looks through it: such
 * would never come to an end, and make pages of what they read. So they are
 * a mapping of this device, which is anonymous memory to the kernel, but has a
 * name in /proc/PID/maps; and not to be read there (sys.h).
 */
static int open_zero(void)
{
	struct stat st;
	int fd = sys_open("/dev/zero", O_RDWR | O_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (!sys_fstat(fd, &st) && S_ISCHR(st.st_mode) &&
	    st.st_rdev == ZERO_DEVICE)
		return fd;
	sys_close(fd); /* somebody's idea of it, in another root */
	return -1;
}

static void *reserve(void *hint, uint64_t bytes, int flags, int fd)
{
	void *at;

	flags |= MAP_PRIVATE | MAP_NORESERVE | (fd < 0 ? MAP_ANONYMOUS : 0);
	at = sys_mmap(hint, bytes, SYS_PROT_OURS, flags, fd, 0);
	if (!sys_failed(at))
		sys_madvise(at, bytes, MADV_DONTDUMP);
	return at;
}

static int reserve_at(uint64_t place, uint64_t bytes, int fd)
{
	void *base = (void *)(uintptr_t)place;
	void *at = reserve(base, bytes, MAP_FIXED_NOREPLACE, fd);

	if (sys_failed(at))
		return (int)(long)at;
	if (at == base)
		return 0;
	sys_munmap(at, bytes);
	return -EEXIST;
}

static int reserve_all(int fd)
{
	int err = reserve_at(SHADOW_BASE, SHADOW_BYTES, fd);

	if (err || !rt.is_timed)
		return err;
	err = reserve_at(TIME_BASE, TIME_BYTES, fd);
	if (err)
		sys_munmap((void *)(uintptr_t)SHADOW_BASE, SHADOW_BYTES);
	return err;
}

int shadow_reserve(void)
{
	int fd = open_zero();
	int err = reserve_all(fd);

	if (fd >= 0)
		sys_close(fd);
	return err;
}

/*
 * Map `bytes` for entry, so that its content is 0 no more: the address less
 * `bias`. Another thread, or a handler on top of us, may be faster.
 */
static int map_entry(_Atomic uint64_t *entry, uint64_t bytes, uint64_t bias)
{
	void *at = reserve(NULL, bytes, 0, -1);
	uint64_t none = 0, content = (uintptr_t)at - bias;

	if (sys_failed(at))
		return (int)(long)at;
	if (content && atomic_compare_exchange_strong(entry, &none, content))
		return 0;
	sys_munmap(at, bytes);
	return content ? 0 : -EADDRINUSE;
}

int hot_map_shadow(uint64_t stack)
{
	const uint64_t region = stack >> SHADOW_REGION_SHIFT;
	const uint64_t start = stack >> SHADOW_PIECE_SHIFT
						<< SHADOW_PIECE_SHIFT;
	int err = 0;

	if (region >= SHADOW_REGION_COUNT)
		return -EINVAL;
	if (!hot_shadow_regions[region])
		err = map_entry(&hot_shadow_regions[region], DIRECTORY_BYTES,
				region * DIRECTORY_BYTES);
	if (err)
		return err;
	return map_entry(shadow_piece(stack),
			 (UINT64_C(2) << SHADOW_PIECE_SHIFT) +
				 (rt.is_timed ? TIME_PIECE_BYTES : 0),
			 2 * start);
}

void shadow_go_without(void)
{
	hot_shadow_low = SHADOW_NOWHERE;
}
