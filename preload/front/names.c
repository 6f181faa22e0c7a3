/* SPDX-License-Identifier: MIT */
/*
 * Fronts for the names of threads: a thread is usually named after it has
 * started, and its name cannot be read when it has ended. System call filters
 * are set through the same function.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "preload/front/generators.h"
#include "preload/front/stamps.h"
#include "preload/generated/makers.h"
#include "preload/generated/memory_names.h"
#include "preload/host/next.h"
#include "preload/hot/sink.h"
#include "preload/process/dispatch.h"
#include "preload/process/filter.h"
#include "preload/record/tallies.h"
#include "preload/sys/sys.h"

/*
 * Returns whether the process is recorded. Its recording may then contain time
 * stamps at any time, because a probe can be added that needs them.
 */
static int uses_stamps(void)
{
	return rt.header && rt.header->state != WIRE_DISABLED;
}

/*
 * Copies a text that may be unmapped, or end at an unmapped page. Returns 0 or
 * -EFAULT.
 */
static int copy_text(uint64_t at, char text[MEMORY_NAME_BYTES])
{
	for (int i = 0; at && i < MEMORY_NAME_BYTES - 1; i++) {
		int err = sys_read_memory(at + (uint64_t)i, &text[i], 1);

		if (err)
			return err;
		if (text[i] == '\0')
			break;
	}
	return 0;
}

/* Stores the name even if the kernel does not support such names. */
static void note_name(uint64_t start, uint64_t bytes, uint64_t name)
{
	char text[MEMORY_NAME_BYTES] = "";

	if (copy_text(name, text) == 0)
		makers_note_name(start, bytes, text);
}

static long ask(int option, long a, long b, long c, long d)
{
	if (option == PR_SET_TSC && uses_stamps())
		return stamps_set_access(a);
	if (option == PR_GET_TSC && uses_stamps())
		return stamps_get_access((int *)a);
	if (rt.sink->reads_clock && option == PR_SET_SECCOMP &&
	    a == SECCOMP_MODE_STRICT)
		return stamps_enter_strict_mode();
	if (option == PR_SET_SYSCALL_USER_DISPATCH)
		return dispatch_set(a, b, c, d);
	return sys_call_anyway(SYS_prctl, option, a, b, c, d, 0);
}

EXPORT int prctl(int option, ...)
{
	long result, a, b, c, d;
	int begun = 0;
	va_list arguments;

	va_start(arguments, option);
	a = va_arg(arguments, long);
	b = va_arg(arguments, long);
	c = va_arg(arguments, long);
	d = va_arg(arguments, long);
	va_end(arguments);
	if (option == PR_SET_SECCOMP) {
		generators_foresee();
		begun = filter_begin();
	}
	result = ask(option, a, b, c, d);
	filter_end(begun, !result);
	if (option == PR_SET_VMA && a == PR_SET_VMA_ANON_NAME)
		note_name((uint64_t)b, (uint64_t)c, (uint64_t)d);
	if (option == PR_SET_NAME)
		tallies_thread_renamed();
	if (result >= 0)
		return (int)result;
	errno = (int)-result;
	return -1;
}

EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
	int err = NEXT(pthread_setname_np)(thread, name);

	if (pthread_equal(thread, pthread_self()))
		tallies_thread_renamed();
	return err;
}
