# The padding may be a long nop that reaches past the jump.
	.include "golden.inc"
	CASE JUMP_PADDED, 0, 4
	BEFORE
	mov %rdi, %rax
	ret
	END_BEFORE
	nopw %cs:0x200(%rax,%rax)
	AFTER
	mov %rdi, %rax
	ret
