# loop has no long form: the copy is a loop that skips a jump.
	.include "golden.inc"
	CASE JUMP, 0, 6
	BEFORE
	push %rsi
	pop %rcx
	push %rdi
	pop %rax
	loop many
one:	neg %rax
	ret
many:	add $5, %rax
	ret
	END_BEFORE
	AFTER
	push %rsi
	pop %rcx
	push %rdi
	pop %rax
	loop 1f
	jmp 2f
1:	jmp.d32 many
2:	jmp.d32 one
