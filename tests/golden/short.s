# A return does not fall through, and only padding lies behind it.
	.include "golden.inc"
	CASE JUMP_PADDED, 0, 3
	BEFORE
	xor %eax, %eax
	ret
	END_BEFORE
	.p2align 4, 0xcc
	AFTER
	xor %eax, %eax
	ret
