# A short conditional jump becomes a long one, taken or not.
	.include "golden.inc"
	CASE JUMP, 0, 5
	BEFORE
	test %rdi, %rdi
	js negative
rest:	lea 1(%rdi), %rax
	ret
negative:
	lea -1(%rsi), %rax
	ret
	END_BEFORE
	AFTER
	test %rdi, %rdi
	js.d32 negative
	jmp rest
