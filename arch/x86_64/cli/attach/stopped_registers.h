/* SPDX-License-Identifier: MIT */
/* What of the registers of a stopped thread matters to those who know no machine. */
#ifndef CLEW_CLI_ATTACH_STOPPED_REGISTERS_H
#define CLEW_CLI_ATTACH_STOPPED_REGISTERS_H

#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/user.h>

/* 0, or -1 and errno: the thread is not stopped, or not traced. */
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

/* The control block of libc's: its thread pointer. */
static inline uint64_t stopped_block(const struct user_regs_struct *registers)
{
	return registers->fs_base;
}

/* The system call that it was in when it stopped; negative: none. */
static inline long stopped_call(const struct user_regs_struct *registers)
{
	return (long)registers->orig_rax;
}

/* Whether it has been made by a system call that it has still to return from. */
static inline int stopped_is_made(const struct user_regs_struct *registers)
{
	return registers->rax == 0 && (registers->orig_rax == SYS_clone ||
				       registers->orig_rax == SYS_clone3);
}

#define STOPPED_REGISTERS 17

/* One by DWARF's number, the pc last: what unwinders ask for. */
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

/* A function's return address lies right below where its caller's stack begins. */
#define STOPPED_RETURN_BYTES 8
#define STOPPED_ALIGNMENT    16

#endif
