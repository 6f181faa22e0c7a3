# loop has no long form.
	.include "golden.inc"
	CASE UNMOVABLE, 0, 0
	BEFORE
	push %rcx
	mov %edi, %ecx
	loop 1f
	nop
1:	pop %rax
	ret
	END_BEFORE
