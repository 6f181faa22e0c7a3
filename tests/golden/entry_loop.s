# A loop back to the entry, which the stub distinguishes from a call. There is
# no unwind information, so the stack at the loop is unknown.
	.include "golden.inc"
	CASE BRANCH_INTO, 0, 0
	BEFORE
	add %rdi, %rax
	dec %esi
	jg before
	ret
	END_BEFORE
