# A displacement counts from the end of the instruction, behind the immediate.
	.include "golden.inc"
	CASE JUMP, 0, 11
	BEFORE
	cmpq $0x12345678, value(%rip)
rest:	sete %al
	movzbl %al, %eax
	ret
	END_BEFORE
	.p2align 4, 0xcc
value:	.quad 0x12345678
	AFTER
	cmpq $0x12345678, value(%rip)
	jmp rest
