# The prefix that turns jrcxz into jecxz is retained.
	.include "golden.inc"
	CASE JUMP, 0, 6
	BEFORE
	mov %rdi, %rcx
	jecxz zero
rest:	mov %rsi, %rax
	ret
zero:	lea 1(%rsi), %rax
	ret
	END_BEFORE
	AFTER
	mov %rdi, %rcx
	jecxz 1f
	jmp 2f
1:	jmp.d32 zero
2:	jmp.d32 rest
