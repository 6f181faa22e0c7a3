# An indirect call: the callee reads its return address as in call.s.
	.include "golden.inc"
	CASE JUMP, 0, 7
	BEFORE
	push %rbx
	call *pointer(%rip)
rest:	pop %rbx
	add %rdi, %rax
	ret
callee:	mov (%rsp), %rax
	ret
	END_BEFORE
	.p2align 4, 0xcc
pointer: .quad callee
	AFTER
	push %rbx
	PUSH_RETURN rest
	jmp *pointer(%rip)
