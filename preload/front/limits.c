/* SPDX-License-Identifier: MIT */
/*
 * Fronts of libc's functions for limits that a program sets for itself.
 *
 * The shadow uses little memory, but terabytes of address space, which
 * RLIMIT_AS and RLIMIT_DATA count. The fronts therefore add clew's part to
 * limits that the program sets, and subtract it from those that it reads. The
 * amount is the same in every process of a recording, because limits survive
 * exec. If the shadow could not be reserved, nothing is added.
 *
 * The wrappers are as safe in signal handlers as the originals.
 */
#include <errno.h>

#include "preload/host/next.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/sink.h"
#include "preload/sys/sys.h"

/*
 * The address space that clew needs in addition to the shadow: for stubs, the
 * map of windows and the recording.
 */
#define AS_BYTES   (UINT64_C(128) << 20)
#define DATA_BYTES (UINT64_C(32) << 20)

/* Returns how much of a resource clew itself uses. */
static uint64_t own_bytes(int resource)
{
	const uint64_t shadow =
		SHADOW_BYTES + sink_stack_bytes(SHADOW_BYTES / 2);

	if (!rt.header || hot_shadow_low == SHADOW_NOWHERE)
		return 0;
	if (resource == RLIMIT_AS)
		return shadow + AS_BYTES;
	return resource == RLIMIT_DATA ? shadow + DATA_BYTES : 0;
}

static rlim_t add(rlim_t limit, uint64_t bytes)
{
	return limit > RLIM_INFINITY - bytes ? limit : limit + bytes;
}

static rlim_t take_off(rlim_t limit, uint64_t bytes)
{
	return limit == RLIM_INFINITY || limit < bytes ? limit : limit - bytes;
}

static int change_limit(pid_t pid, int resource, const struct rlimit *set,
			struct rlimit *old)
{
	uint64_t bytes = own_bytes(resource);
	struct rlimit adjusted;
	long result;

	if (pid && pid != sys_getpid())
		bytes = 0;
	if (set && bytes) {
		adjusted.rlim_cur = add(set->rlim_cur, bytes);
		adjusted.rlim_max = add(set->rlim_max, bytes);
		set = &adjusted;
	}
	result = sys_call_anyway(SYS_prlimit64, pid, resource, (long)set,
				 (long)old, 0, 0);
	if (result) {
		errno = (int)-result;
		return -1;
	}
	if (old && bytes) {
		old->rlim_cur = take_off(old->rlim_cur, bytes);
		old->rlim_max = take_off(old->rlim_max, bytes);
	}
	return 0;
}

EXPORT int prlimit(pid_t pid, enum __rlimit_resource resource,
		   const struct rlimit *set, struct rlimit *old)
{
	return change_limit(pid, (int)resource, set, old);
}

EXPORT int setrlimit(__rlimit_resource_t resource, const struct rlimit *set)
{
	return change_limit(0, (int)resource, set, NULL);
}

EXPORT int getrlimit(__rlimit_resource_t resource, struct rlimit *old)
{
	return change_limit(0, (int)resource, NULL, old);
}

/*
 * The 64-bit variants of the functions above. All types have 64 bits here, so
 * they do the same.
 */
EXPORT int prlimit64(pid_t pid, enum __rlimit_resource resource,
		     const struct rlimit64 *set, struct rlimit64 *old)
	__attribute__((alias("prlimit")));
EXPORT int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *set)
	__attribute__((alias("setrlimit")));
EXPORT int getrlimit64(__rlimit_resource_t resource, struct rlimit64 *old)
	__attribute__((alias("getrlimit")));
