/* SPDX-License-Identifier: MIT */
/*
 * The common code of all bridges (jvm/natives/bridge.h). A bridge's own code
 * jumps here with its struct bridge in r11. The native's arguments are where
 * the C calling convention places them.
 *
 * The frame below the return address is a struct bridge_frame. Below it are
 * vector registers during callers_learn(), or copies of the arguments on the
 * stack during the native.
 */
#include "preload/hot/layout.h"

	.set	SLOT, 8
	.set	RETURN_ADDRESS, -16
	.set	CALLER_ID, -24
	.set	BRIDGE, -32
	.set	FRAME, -112
	.set	OUTER, FRAME + 8	/* offsets in struct bridge_frame */
	.set	FRAME_BYTES, 112

	.set	TARGET, 0	/* offset in struct bridge */
	.set	STACK_WORDS, 8
	.set	NATIVE, 16

	.text
	.globl	jvm_bridge
	.hidden	jvm_bridge
	.type	jvm_bridge, @function
	.balign	64
jvm_bridge:
	.cfi_startproc
	cmpl	$0, bridges_are_closed(%rip)
	jne	.Lclosed
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	subq	$FRAME_BYTES, %rsp
	movq	%rdi, -80(%rbp)
	movq	%rsi, -72(%rbp)
	movq	%rdx, -64(%rbp)
	movq	%rcx, -56(%rbp)
	movq	%r8, -48(%rbp)
	movq	%r9, -40(%rbp)
	movq	%r11, BRIDGE(%rbp)
	leaq	FRAME(%rbp), %rdi
	call	bridge_enter
	testl	%eax, %eax
	jnz	.Llearn
.Lknown:
	movq	BRIDGE(%rbp), %r11
	movq	STACK_WORDS(%r11), %rcx
	testq	%rcx, %rcx
	jnz	.Lcopy
.Lcall:
	movq	-80(%rbp), %rdi
	movq	-72(%rbp), %rsi
	movq	-64(%rbp), %rdx
	movq	-56(%rbp), %rcx
	movq	-48(%rbp), %r8
	movq	-40(%rbp), %r9
	call	*TARGET(%r11)
	/* The result is in rax or xmm0. */
	movq	hot@gottpoff(%rip), %rcx
	leaq	FRAME(%rbp), %rsi
	movq	RETURN_ADDRESS(%rbp), %rdi
	cmpq	%rsi, %fs:HOT_JAVA_TOP(%rcx)
	jne	.Lreturn	/* clew has detached meanwhile */
	movq	CALLER_ID(%rbp), %rsi
	movq	%rsi, %fs:HOT_ID(%rcx)
	movq	OUTER(%rbp), %rsi
	movq	%rsi, %fs:HOT_JAVA_TOP(%rcx)
.Lreturn:
	movq	%rdi, SLOT(%rbp)
	leave
	.cfi_remember_state
	.cfi_def_cfa rsp, 8
	ret
	.cfi_restore_state

.Lcopy:	/* copy rcx words to an aligned stack */
	leaq	1(%rcx), %rax
	andq	$-2, %rax
	shlq	$3, %rax
	subq	%rax, %rsp
	leaq	SLOT+8(%rbp), %rsi
	movq	%rsp, %rdi
	cld
	rep movsq
	jmp	.Lcall

.Lclosed:
	.cfi_remember_state
	.cfi_def_cfa rsp, 8
	.cfi_restore rbp
	jmp	*NATIVE(%r11)
	.cfi_restore_state

.Llearn:
	subq	$128, %rsp
	movups	%xmm0, (%rsp)
	movups	%xmm1, 16(%rsp)
	movups	%xmm2, 32(%rsp)
	movups	%xmm3, 48(%rsp)
	movups	%xmm4, 64(%rsp)
	movups	%xmm5, 80(%rsp)
	movups	%xmm6, 96(%rsp)
	movups	%xmm7, 112(%rsp)
	leaq	FRAME(%rbp), %rdi
	call	callers_learn
	leaq	FRAME(%rbp), %rdi
	movl	%eax, %esi
	call	bridge_link
	movups	(%rsp), %xmm0
	movups	16(%rsp), %xmm1
	movups	32(%rsp), %xmm2
	movups	48(%rsp), %xmm3
	movups	64(%rsp), %xmm4
	movups	80(%rsp), %xmm5
	movups	96(%rsp), %xmm6
	movups	112(%rsp), %xmm7
	addq	$128, %rsp
	jmp	.Lknown
	.cfi_endproc
	.size	jvm_bridge, . - jvm_bridge

	.section .note.GNU-stack, "", @progbits
