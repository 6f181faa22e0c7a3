	.include "golden.inc"
	CASE JUMP, 0, 7
	BEFORE
	mov value(%rip), %rax
rest:	add %rdi, %rax
	ret
	END_BEFORE
	.p2align 4, 0xcc
value:	.quad 0x1122334455667788
	AFTER
	mov value(%rip), %rax
	jmp rest
