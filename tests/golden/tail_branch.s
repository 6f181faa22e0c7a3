# A branch from elsewhere, far behind, into the bytes of the jump. Two of them
# can be had, which leaves a choice of 256 addresses.
	.include "golden.inc"
	CASE JUMP_PUNNED, 0, 2
	BEFORE
	xor %eax, %eax
again:	add %rdi, %rax
	btr $3, %eax
	jc again
	ret
	END_BEFORE
	AFTER
	xor %eax, %eax
	jmp again
