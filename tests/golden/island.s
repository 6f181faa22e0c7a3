# A jump like mempcpy's to memmove+3. The long jump lies in the padding.
	.include "golden.inc"
	CASE JUMP_SHORT, 0, 3
	BEFORE
	mov %rdi, %rax
inner:	add %rsi, %rax
	btr $3, %eax
	jc inner
	ret
	END_BEFORE
	.skip 5, 0xcc
	AFTER
	mov %rdi, %rax
	jmp inner
