/* SPDX-License-Identifier: MIT */
/* See thread_pointer.h. */
#include "preload/sys/thread_pointer.h"

#include "preload/hot/thread.h"
#include "preload/sys/sys.h"

#define HWCAP2_FSGSBASE 2 /* asm/hwcap2.h, since Linux 5.9 */

static int can_read;
static uint64_t offset; /* offset of struct hot_thread from the pointer */

static uint64_t read_pointer(void)
{
	uint64_t pointer;

	__asm__ volatile("rdfsbase %0" : "=r"(pointer));
	return pointer;
}

static void write_pointer(uint64_t pointer)
{
	__asm__ volatile("wrfsbase %0" : : "r"(pointer) : "memory");
}

int thread_pointer_is_of(const struct hot_thread *thread)
{
	return can_read ? read_pointer() == (uintptr_t)thread - offset
			: thread == &hot;
}

int thread_pointer_take(const struct hot_thread *thread, uint32_t tid,
			uint64_t *theirs)
{
	const uint64_t own = (uintptr_t)thread - offset;

	*theirs = 0;
	if (!can_read || read_pointer() == own)
		return 1;
	if ((uint32_t)sys_call_anyway(SYS_gettid, 0, 0, 0, 0, 0, 0) != tid)
		return 0;
	*theirs = read_pointer();
	write_pointer(own);
	return 1;
}

void thread_pointer_put_back(uint64_t theirs)
{
	if (theirs)
		write_pointer(theirs);
}

void thread_pointer_learn(uint64_t hwcap2)
{
	can_read = (hwcap2 & HWCAP2_FSGSBASE) != 0;
	offset = (uintptr_t)&hot - thread_block();
}
