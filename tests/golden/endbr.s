	.include "golden.inc"
	CASE JUMP, 4, 5
	BEFORE
	endbr64
	lea (%rdi,%rsi), %rax
	push %rbx
rest:	pop %rbx
	neg %rax
	ret
	END_BEFORE
	AFTER
	lea (%rdi,%rsi), %rax
	push %rbx
	jmp rest
