/* SPDX-License-Identifier: MIT */
/*
 * The jumps to which JNI's function table leads in an attached JVM
 * (jvm/jni/jni_env.h), in the order of the table. Each jumps to its address in
 * jni_targets. JNI_JUMP_BYTES is the distance between two of them.
 */
#include "jvm/jni/jni_places.h"

	.text
	.globl	jni_jumps
	.hidden	jni_jumps
	.type	jni_jumps, @function
	.balign	JNI_JUMP_BYTES
jni_jumps:
	.set	at, 0
	.rept	JNI_FUNCTIONS_MAX
	jmp	*jni_targets + at(%rip)
	.balign	JNI_JUMP_BYTES, 0xcc
	.set	at, at + 8
	.endr
	.size	jni_jumps, . - jni_jumps

	.section .note.GNU-stack, "", @progbits
