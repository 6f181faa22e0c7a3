# Three bytes may be overwritten; the two behind them stay and complete the rel32.
	.include "golden.inc"
	CASE JUMP_PUNNED, 0, 3
	BEFORE
	mov %rdi, %rax
inner:	nopl (%rax)
	add %rsi, %rax
	btr $3, %eax
	jc inner
	ret
	END_BEFORE
	AFTER
	mov %rdi, %rax
	jmp inner
