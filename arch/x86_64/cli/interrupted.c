/* SPDX-License-Identifier: MIT */
#include "cli/interrupted.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "base/memory.h"

#define SYSTEM_CALL_BYTES 2

/* Those that a stop ends, and a signal handler as well. */
static int says_so_of_stops(long number)
{
	switch (number) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_rt_sigtimedwait:
	case SYS_io_getevents:
	case SYS_io_pgetevents:
	case SYS_io_uring_enter:
	case SYS_read:
	case SYS_readv:
	case SYS_write:
	case SYS_writev:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_accept:
	case SYS_accept4:
		return 1;
	default:
		return 0;
	}
}

/* Whether a signal waits for it that is not blocked: that may be the reason. */
static int has_signal(pid_t pid, pid_t tid)
{
	char *path = memory_printf("/proc/%d/task/%d/status", pid, tid);
	FILE *file = fopen(path, "re");
	uint64_t pending = 0, blocked = 0, mask;
	char line[256];

	free(path);
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "SigPnd: %" SCNx64, &mask) == 1 ||
		    sscanf(line, "ShdPnd: %" SCNx64, &mask) == 1)
			pending |= mask;
		else if (sscanf(line, "SigBlk: %" SCNx64, &mask) == 1)
			blocked = mask;
	}
	if (file)
		fclose(file);
	return !file || pending & ~blocked;
}

void interrupted_go_on(pid_t pid, struct tracee *thread)
{
	struct user_regs_struct registers;

	if (ptrace(PTRACE_GETREGS, thread->tid, 0, &registers) != 0 ||
	    (long)registers.rax != -EINTR ||
	    !says_so_of_stops((long)registers.orig_rax) ||
	    has_signal(pid, thread->tid))
		return;
	registers.rip -= SYSTEM_CALL_BYTES;
	registers.rax = registers.orig_rax;
	ptrace(PTRACE_SETREGS, thread->tid, 0, &registers);
}
