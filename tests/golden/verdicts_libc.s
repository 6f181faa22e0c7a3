# A breakpoint kills the process while all signals are blocked, and the C library
# blocks them at times: it must not get breakpoints. See verdicts.s.
	.text
"BARE..returns":
	.skip 160, 0xc3
"BRANCH_INTO..in the C library":
	.cfi_startproc
	push %rdi
1:	pop %rax
	loop 1b
	ret
	.cfi_endproc
"JUMP..behind it":
	.cfi_startproc
	push %rbx
	.cfi_def_cfa_offset 16
	mov %rdi, %rbx
	pop %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
"BARE..and more":
	.skip 160, 0xc3
