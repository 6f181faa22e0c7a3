# Only one byte may be overwritten, and there is no padding for an island.
	.include "golden.inc"
	CASE TRAP, 0, 1
	BEFORE
	push %rsi
inner:	add %rsi, %rdi
	btr $3, %edi
	jc inner
	pop %rax
	add %rdi, %rax
	ret
	END_BEFORE
	AFTER
	push %rsi
	jmp inner
