# syscall leaves its own address in rcx.
	.include "golden.inc"
	CASE UNMOVABLE, 0, 0
	BEFORE
	xor %eax, %eax
	syscall
	ret
	END_BEFORE
