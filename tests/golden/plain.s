	.include "golden.inc"
	CASE JUMP, 0, 8
	BEFORE
	push %rbp
	mov %rsp, %rbp
	sub $0x20, %rsp
rest:	mov %rdi, -8(%rbp)
	mov -8(%rbp), %rax
	add %rsi, %rax
	leave
	ret
	END_BEFORE
	AFTER
	push %rbp
	mov %rsp, %rbp
	sub $0x20, %rsp
	jmp rest
