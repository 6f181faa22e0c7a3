/* SPDX-License-Identifier: MIT */
/* Access to the registers of a stopped thread, for portable code. */
#ifndef CLEW_CLI_ATTACH_STOPPED_REGISTERS_H
#define CLEW_CLI_ATTACH_STOPPED_REGISTERS_H

#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/user.h>

/*
 * Reads the registers of a stopped thread. Returns 0, or -1 and errno if the
 * thread is not stopped or not traced.
 */
static inline int stopped_read(pid_t tid, struct user_regs_struct *registers)
{
	return ptrace(PTRACE_GETREGS, tid, 0, registers) == 0 ? 0 : -1;
}

static inline uint64_t stopped_pc(const struct user_regs_struct *registers)
{
	return registers->rip;
}

static inline uint64_t stopped_sp(const struct user_regs_struct *registers)
{
	return registers->rsp;
}

/* Returns the address of libc's control block, the thread pointer. */
static inline uint64_t stopped_block(const struct user_regs_struct *registers)
{
	return registers->fs_base;
}

/*
 * Returns the number of the system call that the stop has interrupted, or a
 * negative number if there is none.
 */
static inline long stopped_call(const struct user_regs_struct *registers)
{
	return (long)registers->orig_rax;
}

/*
 * Returns whether the thread is new and has not yet returned from the call that
 * created it.
 */
static inline int stopped_is_made(const struct user_regs_struct *registers)
{
	return registers->rax == 0 && (registers->orig_rax == SYS_clone ||
				       registers->orig_rax == SYS_clone3);
}

#define STOPPED_REGISTERS 17

/* Returns a register by its DWARF number; the last one is the pc. */
static inline uint64_t stopped_register(
	const struct user_regs_struct *registers, unsigned int number)
{
	const uint64_t values[STOPPED_REGISTERS] = {
		registers->rax, registers->rdx, registers->rcx, registers->rbx,
		registers->rsi, registers->rdi, registers->rbp, registers->rsp,
		registers->r8,  registers->r9,  registers->r10, registers->r11,
		registers->r12, registers->r13, registers->r14, registers->r15,
		registers->rip,
	};

	return number < STOPPED_REGISTERS ? values[number] : 0;
}

/*
 * A return address is directly below the stack pointer that the caller has
 * after the call.
 */
#define STOPPED_RETURN_BYTES 8
#define STOPPED_ALIGNMENT    16

#endif
