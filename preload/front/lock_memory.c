/* SPDX-License-Identifier: MIT */
/*
 * Front of mlockall(). A program that locks all its memory does not want the
 * terabytes of the shadow to be allocated. Pages are therefore locked when they
 * are first used, including those of the shadow.
 */
#include <errno.h>

#include "preload/host/next.h"
#include "preload/hot/runtime.h"
#include "preload/sys/sys.h"

EXPORT int mlockall(int flags)
{
	long result;

	if (rt.header && flags & (MCL_CURRENT | MCL_FUTURE))
		flags |= MCL_ONFAULT;
	result = sys_call_anyway(SYS_mlockall, flags, 0, 0, 0, 0, 0);
	if (!result)
		return 0;
	errno = (int)-result;
	return -1;
}
