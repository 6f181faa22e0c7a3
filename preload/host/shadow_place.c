/* SPDX-License-Identifier: MIT */
/* See shadow_place.h. */
#include "preload/host/shadow_place.h"

#include "preload/host/leak_checker.h"
#include "preload/host/sanitizers.h"
#include "preload/host/thread_template.h"
#include "preload/hot/places.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/sink.h"
#include "preload/hot/timing.h"
#include "preload/sys/place.h"
#include "preload/sys/sys.h"

#define ZERO_DEVICE ((1 << 8) | 5) /* st_rdev of /dev/zero */

static const uint64_t shadow_places[] = { SHADOW_PLACES, 0 };
static const uint64_t time_places[] = { TIME_PLACES, 0 };

/*
 * Opens /dev/zero. A crash handler or garbage collector that reads all memory
 * of the program must not read the terabytes of the shadow: it would run for
 * ever, and allocate the pages that it reads. The shadow is therefore a mapping
 * of this device: anonymous memory for the kernel, but with a name in
 * /proc/PID/maps; and it cannot be read there (sys.h).
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
	/* this is another file, for example in another root directory */
	sys_close(fd);
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
	void *base = (void *)place;
	void *at = reserve(base, bytes, MAP_FIXED_NOREPLACE, fd);

	if (at == base)
		return 1;
	/* Kernels before 4.17 take the address as a hint. */
	if (!sys_failed(at))
		sys_munmap(at, bytes);
	return 0;
}

/* Reserves the first free range of the list. Returns its address, or 0. */
static uint64_t reserve_first(const uint64_t *places, uint64_t bytes, int fd)
{
	for (; *places; places++)
		if (!place_is_in_way_of_heap(*places, bytes) &&
		    reserve_at(*places, bytes, fd))
			return *places;
	return 0;
}

/*
 * Reserves the shadow and the memory for call times. Returns whether both
 * succeeded.
 */
static int reserve_all(int fd)
{
	uint64_t shadow = reserve_first(shadow_places, SHADOW_BYTES, fd), times;

	if (!shadow)
		return 0;
	hot_shadow_half = shadow / 2;
	/* In an attached process a later session may time calls. */
	if (!rt.sink->slot_bytes && !rt.is_late)
		return 1;
	times = reserve_first(time_places, TIME_BYTES, fd);
	if (times)
		hot_time_third = times / 3;
	else
		sys_munmap((void *)shadow, SHADOW_BYTES);
	return times != 0;
}

static int reserve_anywhere(void)
{
	int fd = open_zero();
	int is_there = reserve_all(fd);

	if (fd >= 0)
		sys_close(fd);
	return is_there;
}

int shadow_reserve(void)
{
	if (leak_checker_is_requested() ||
	    sanitizers_leave_no_room(rt.sink->slot_bytes != 0) ||
	    !reserve_anywhere())
		hot_shadow_low = SHADOW_NOWHERE;
	else if (hot_shadow_half == SHADOW_HALF && hot_time_third == TIME_THIRD)
		return 0; /* these are already the initial values of threads */
	return thread_template_place_shadow();
}
