/* SPDX-License-Identifier: MIT */
/*
 * syscall(), in front of libc's: some calls change what we must know of.
 *
 * Those go to a function each in syscalls.c, with all arguments where they
 * are. The others go on to the next library's without a word on the stack,
 * because a child may come back on another one.
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
	SEND	__NR_prlimit64, syscall_prlimit
	SEND	__NR_setrlimit, syscall_setrlimit
	SEND	__NR_getrlimit, syscall_getrlimit
	.globl	syscall_plainly
	.hidden	syscall_plainly
syscall_plainly:
	movq	next_syscall(%rip), %rax
	testq	%rax, %rax
	jz	1f
	jmp	*%rax

	/* Before our constructor, in the allocator of a preloaded library. */
1:	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %r10
	movq	%r9, %r8
	movq	8(%rsp), %r9
	syscall
	cmpq	$-4095, %rax
	jae	2f
	ret
2:	negl	%eax
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	call	__errno_location@PLT
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	movl	%ecx, (%rax)
	movq	$-1, %rax
	ret
	.cfi_endproc
	.size	syscall, . - syscall

	.section .note.GNU-stack, "", @progbits
