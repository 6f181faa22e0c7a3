	.include "golden.inc"
	CASE JUMP_PADDED, 4, 3
	BEFORE
	endbr64
	xor %eax, %eax
	ret
	END_BEFORE
	.zero 8
	AFTER
	xor %eax, %eax
	ret
