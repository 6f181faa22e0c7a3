# A branch from far behind leads into the bytes of the jump. Two of them may be
# overwritten, which leaves a choice of 256 addresses.
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
