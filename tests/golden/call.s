# The callee reads its return address: all bytes must be those of the original.
	.include "golden.inc"
	CASE JUMP, 0, 6
	BEFORE
	push %rbx
	call callee
rest:	pop %rbx
	add %rdi, %rax
	ret
callee:	mov (%rsp), %rax
	ret
	END_BEFORE
	AFTER
	push %rbx
	PUSH_RETURN rest
	jmp.d32 callee
