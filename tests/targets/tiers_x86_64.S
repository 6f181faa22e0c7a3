/* SPDX-License-Identifier: MIT */
/*
 * One function of each kind that is difficult to hook. The functions are
 * adjacent, without padding except where it is wanted.
 */
	.macro function name
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
	.endm

	.macro end name
	.cfi_endproc
	.size \name, . - \name
	.endm

	.text
	/* A loop is no call, wherever it begins. */
	.p2align 4
function loops_to_its_entry
	add $3, %rdi
	test $32, %dil
	jz loops_to_its_entry
	mov %rdi, %rax
	ret
end loops_to_its_entry

function loops_to_its_endbr
	endbr64
	add $5, %rdi
	test $32, %dil
	jz loops_to_its_endbr
	mov %rdi, %rax
	ret
end loops_to_its_endbr

	/* A loop that lies partly in another function is also no call. */
function tail_loops_through_another
	add $7, %rdi
	test $64, %dil
	jz 1f
	mov %rdi, %rax
	ret
1:	nop
	jmp tail_loops_through_another
end tail_loops_through_another

	/* Like memmove, which mempcpy enters after its first instruction. */
	.p2align 4
function entered_at_its_third_byte
	mov %rdi, %rax
.Lthird:
	add $1, %rax
	imul $3, %rax, %rax
	ret
end entered_at_its_third_byte
	.p2align 4, 0xcc
	.skip 16, 0xcc

function enters_another
	lea 100(%rdi), %rax
	jmp .Lthird
end enters_another

	/*
	 * Branches that are relocated from the first bytes, taken and not
	 * taken.
	 */
function counts_down_by_loop
	lea 1(%rdi), %ecx
	loop 1f
	mov $1000, %eax
	ret
1:	lea (%rcx,%rdi), %rax
	ret
end counts_down_by_loop

function tests_by_jrcxz
	mov %rdi, %rcx
	jrcxz 1f
	mov $17, %eax
	ret
1:	mov $71, %eax
	ret
end tests_by_jrcxz

function calls_by_the_stack
	push %r11
	.cfi_adjust_cfa_offset 8
	lea .Lcallee(%rip), %r11
	mov %r11, (%rsp)
	call *(%rsp)
	pop %r11
	.cfi_adjust_cfa_offset -8
	ret
.Lcallee:
	lea 9(%rdi), %rax
	ret
end calls_by_the_stack

	/* No usable bytes within the reach of a short jump. */
	.skip 160, 0xc3
function shares_bytes
	xor %eax, %eax
	ret
end shares_bytes
	/* The endbr64 stays, which fixes the jump's last bytes: f3 0f. */
function behind_shared_bytes
	endbr64
	lea 2(%rdi), %rax
	add $12, %rax
	ret
end behind_shared_bytes

	/*
	 * No padding nearby, but a neighbour whose first ten bytes can be
	 * displaced.
	 */
	.skip 160, 0xc3
function is_a_guest
	mov %edi, %eax
1:	add $1, %eax
	test $8, %al
	jz 1b
	ret
end is_a_guest
function is_a_host
	lea 3(%rdi), %rax
	imul $3, %rax, %rax
	add $12, %rax
	ret
end is_a_host
	.skip 160, 0xc3

	/* Only one byte can be overwritten. */
function entered_at_its_second_byte
	push %rdi
1:	pop %rax
	add $1, %rax
	push %rax
	test $8, %al
	jz 1b
	pop %rax
	ret
end entered_at_its_second_byte
	.skip 160, 0xc3
	.section .note.GNU-stack, "", @progbits
