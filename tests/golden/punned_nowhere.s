# Two bytes may be overwritten, but every possible target is below the lowest
# address that a program can map.
	.include "golden.inc"
	CASE TRAP, 0, 2
	BEFORE
	xor %eax, %eax
again:	add $5, %rax
	add %rdi, %rax
	btr $3, %eax
	jc again
	ret
	END_BEFORE
	AFTER
	xor %eax, %eax
	jmp again
