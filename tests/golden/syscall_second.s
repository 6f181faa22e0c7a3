# A function like glibc's __read_nocancel: a short jump keeps the system call.
	.include "golden.inc"
	CASE JUMP_SHORT, 0, 2
	BEFORE
	push $110	# getppid
rest:	pop %rax
	syscall
	ret
	END_BEFORE
	.skip 5, 0x90
	AFTER
	push $110
	jmp rest
