	.include "golden.inc"
	CASE JUMP, 0, 5
	BEFORE
	mov %rdi, %rcx
	jrcxz zero
rest:	mov %rsi, %rax
	ret
zero:	lea 1(%rsi), %rax
	ret
	END_BEFORE
	AFTER
	mov %rdi, %rcx
	jrcxz 1f
	jmp 2f
1:	jmp.d32 zero
2:	jmp.d32 rest
