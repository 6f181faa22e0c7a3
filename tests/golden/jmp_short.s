# Only padding lies between the jump and its target.
	.include "golden.inc"
	CASE JUMP, 0, 2
	BEFORE
	jmp target
	.skip 14, 0x90
target:	lea (%rdi,%rsi), %rax
	ret
	END_BEFORE
	AFTER
	jmp.d32 target
