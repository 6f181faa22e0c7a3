	.include "golden.inc"
	CASE JUMP, 0, 10
	BEFORE
	palignr $8, value(%rip), %xmm0
rest:	movq %xmm0, %rax
	ret
	END_BEFORE
	.p2align 4, 0xcc
value:	.quad 1, 0x1122334455667788
	AFTER
	palignr $8, value(%rip), %xmm0
	jmp rest
