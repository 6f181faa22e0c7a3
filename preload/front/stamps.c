/* SPDX-License-Identifier: MIT */
/* See stamps.h. */
#include "preload/front/stamps.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "machine/elf_numbers.h"
#include "preload/sys/sys.h"

/*
 * The value that the program has set by PR_SET_TSC. All threads share one
 * value, because no program is expected to set it in one thread and read it in
 * another.
 */
static int access_set = PR_TSC_ENABLE;

long stamps_set_access(long access)
{
	if (access != PR_TSC_ENABLE && access != PR_TSC_SIGSEGV)
		return -EINVAL;
	access_set = (int)access;
	return 0;
}

long stamps_get_access(int *access)
{
	int real;
	long result =
		sys_call_anyway(SYS_prctl, PR_GET_TSC, (long)&real, 0, 0, 0, 0);

	if (!result)
		*access = access_set;
	return result;
}

#define LOAD(member)                                                           \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS,                                     \
		 offsetof(struct seccomp_data, member))
#define ALLOW(number)                                                          \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                     \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

long stamps_enter_strict_mode(void)
{
	static struct sock_filter filter[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE_AUDIT, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
		LOAD(nr),
		ALLOW(SYS_read),
		ALLOW(SYS_write),
		ALLOW(SYS_exit),
		ALLOW(SYS_rt_sigreturn),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
	};
	const struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(*filter),
		.filter = filter,
	};
	long result;

	/* A process that already has a filter cannot enter strict mode. */
	result = sys_call_anyway(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0);
	if (result != SECCOMP_MODE_DISABLED)
		return result < 0 ? result : -EINVAL;
	/*
	 * No program can be executed afterwards, so setting this has no other
	 * effect.
	 */
	result = sys_call_anyway(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0);
	if (result)
		return result;
	return sys_call_anyway(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
			       (long)&program, 0, 0, 0);
}
