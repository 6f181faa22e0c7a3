# A branch from elsewhere, far behind, into the bytes of the jump.
	.include "golden.inc"
	CASE BRANCH_INTO, 0, 0
	BEFORE
	xor %eax, %eax
again:	add %rdi, %rax
	dec %esi
	jg again
	ret
	END_BEFORE
