# A branch back to the entry leads to the copy.
	.include "golden.inc"
	CASE JUMP, 0, 5
	BEFORE
	.cfi_startproc
	add $1, %edi
	loope before
rest:	lea (%rdi,%rsi), %rax
	ret
	.cfi_endproc
	END_BEFORE
	AFTER
copy:	add $1, %edi
	loope 1f
	jmp 2f
1:	jmp.d32 copy
2:	jmp.d32 rest
