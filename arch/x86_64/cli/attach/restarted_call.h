/* SPDX-License-Identifier: MIT */
/*
 * System calls that a stop has interrupted. While the thread is stopped, its
 * rax contains an error number that programs never see. When the thread
 * continues, the kernel restarts the system call because of that number.
 */
#ifndef CLEW_CLI_ATTACH_RESTARTED_CALL_H
#define CLEW_CLI_ATTACH_RESTARTED_CALL_H

#include <sys/user.h>

/* From the kernel's include/linux/errno.h. */
enum {
	RESTART = -512,                 /* ERESTARTSYS */
	RESTART_WITHOUT_HANDLER = -514, /* ERESTARTNOHAND */
	RESTART_BLOCK = -516,           /* ERESTART_RESTARTBLOCK */
};

/* Bytes of the instruction `syscall`. */
#define RESTARTED_BYTES 2

/*
 * Returns the registers with which a thread restarts its interrupted system
 * call by itself, without the kernel: those before the call. If no call would
 * restart, returns *registers.
 */
static inline struct user_regs_struct restarted_call(
	const struct user_regs_struct *registers)
{
	struct user_regs_struct result = *registers;
	const long answer = (long)registers->rax;

	if ((long)registers->orig_rax < 0 || answer > RESTART ||
	    answer < RESTART_BLOCK)
		return result;
	result.rip -= RESTARTED_BYTES;
	result.rax = registers->orig_rax;
	return result;
}

#endif
