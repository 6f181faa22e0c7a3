/* SPDX-License-Identifier: MIT */
/*
 * clew's wrapper of libc's syscall(). Some system calls change things that clew
 * depends on.
 *
 * Each of these calls has a function in syscalls.c and other files, which gets
 * all arguments unchanged. All other calls continue at syscall_plainly.S.
 */
#include <asm/unistd.h>

	.macro	SEND number, to
	cmpq	$\number, %rdi
	je	\to
	.endm

	.text
	.globl	syscall
	.type	syscall, @function
syscall:
	.cfi_startproc
	SEND	__NR_prctl, syscall_prctl
	SEND	__NR_seccomp, syscall_seccomp
	SEND	__NR_fork, syscall_fork
	SEND	__NR_clone, syscall_clone
	SEND	__NR_clone3, syscall_clone3
	SEND	__NR_execve, syscall_execve
	SEND	__NR_mmap, syscall_mmap
	SEND	__NR_mprotect, syscall_mprotect
	SEND	__NR_pkey_mprotect, syscall_mprotect
	SEND	__NR_munmap, syscall_munmap
	SEND	__NR_mremap, syscall_mremap
	SEND	__NR_madvise, syscall_madvise
	SEND	__NR_shmat, syscall_shmat
	SEND	__NR_shmdt, syscall_shmdt
	SEND	__NR_prlimit64, syscall_prlimit
	SEND	__NR_setrlimit, syscall_setrlimit
	SEND	__NR_getrlimit, syscall_getrlimit
	jmp	syscall_plainly
	.cfi_endproc
	.size	syscall, . - syscall

	.section .note.GNU-stack, "", @progbits
