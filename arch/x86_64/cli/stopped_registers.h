/* SPDX-License-Identifier: MIT */
/* What of the registers of a stopped thread matters to those who know no machine. */
#ifndef CLEW_CLI_STOPPED_REGISTERS_H
#define CLEW_CLI_STOPPED_REGISTERS_H

#include <stdint.h>
#include <sys/user.h>

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

#endif
