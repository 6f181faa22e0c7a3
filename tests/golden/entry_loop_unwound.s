# A loop back to the entry is safe: it arrives in the stub, or in the copy.
	.include "golden.inc"
	CASE JUMP, 0, 6
	BEFORE
	.cfi_startproc
	add %rsi, %rdi
	sar $1, %rsi
rest:	nop
	jg before
	mov %rdi, %rax
	ret
	.cfi_endproc
	END_BEFORE
	AFTER
	add %rsi, %rdi
	sar $1, %rsi
	jmp rest
