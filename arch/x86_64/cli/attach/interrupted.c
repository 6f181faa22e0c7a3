/* SPDX-License-Identifier: MIT */
/* See cli/attach/interrupted.h. */
#include "cli/attach/interrupted.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "cli/attach/restarted_call.h"

/*
 * Returns whether this system call returns EINTR after a stop of the process as
 * well as after a signal handler (signal(7)).
 */
static int is_interrupted_by_stop(long number)
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

/*
 * If the stop has made a system call of the thread fail with EINTR, the kernel
 * restarts the call when the thread leaves the stop. If a signal with a handler
 * arrives until then, the call returns EINTR nevertheless.
 */
void interrupted_go_on(const struct tracee *thread)
{
	struct user_regs_struct registers;

	if (ptrace(PTRACE_GETREGS, thread->tid, 0, &registers) != 0 ||
	    (long)registers.rax != -EINTR ||
	    !is_interrupted_by_stop((long)registers.orig_rax))
		return;
	registers.rax = (uint64_t)(long)RESTART_WITHOUT_HANDLER;
	ptrace(PTRACE_SETREGS, thread->tid, 0, &registers);
}
