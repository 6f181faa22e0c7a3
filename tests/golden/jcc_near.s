# 0f 8x with a displacement whose bytes look like a short one's opcode.
	.include "golden.inc"
	CASE JUMP, 0, 9
	BEFORE
	cmp %rsi, %rdi
	jb.d32 below
rest:	lea 1(%rdi), %rax
	ret
	.skip 0x7474 - (. - rest), 0xcc
below:	lea 2(%rsi), %rax
	ret
	END_BEFORE
	AFTER
	cmp %rsi, %rdi
	jb.d32 below
	jmp rest
