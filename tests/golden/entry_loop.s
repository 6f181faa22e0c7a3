# A loop back to the entry, which the stub tells from a call. No unwind
# information: who knows what its stack looks like.
	.include "golden.inc"
	CASE BRANCH_INTO, 0, 0
	BEFORE
	add %rdi, %rax
	dec %esi
	jg before
	ret
	END_BEFORE
