# A loop back to the entry would be counted as a call each time round.
	.include "golden.inc"
	CASE BRANCH_INTO, 0, 0
	BEFORE
	add %rdi, %rax
	dec %esi
	jg before
	ret
	END_BEFORE
