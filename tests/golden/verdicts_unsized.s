# Functions whose only trace is a symbol without a size: see verdicts.s.
# Each label has a second symbol, of type FUNC, that is exported or not.
	.macro unsized name, label
	.p2align 4
	.type \name, @function
\name:
"\label":
	.endm
	.macro exported name, label
	.globl \name
	unsized \name, "\label"
	.endm

	.text
# libGL has thousands of functions like this.
exported entry, "JUMP..exported"
	mov slot(%rip), %rax
	mov %fs:(%rax), %r11
	jmp *8(%r11)

# Neither the code that follows this symbol's code nor its padding matters.
exported last, "JUMP..calls and returns"
	mov slot(%rip), %rax
	call *%rax
	ret

# The symbol may be any label of the code around it.
unsized label, "UNSIZED..not exported"
	mov slot(%rip), %rax
	ret

exported pops, "UNSIZED..takes its return address off the stack"
	pop %rdx
	mov slot(%rip), %rax
	jmp *%rdx

exported looks, "UNSIZED..looks at the stack"
	mov slot(%rip), %rax
	mov (%rsp), %rdx
	ret

exported upper, "JUMP..goes on into the next"
	mov slot(%rip), %rax
	xor %edx, %edx
exported lower, "UNSIZED..entered from above"
	mov slot(%rip), %rax
	ret

exported jumper, "JUMP..jumps to the next but one"
	mov slot(%rip), %rax
	jmp shared_tail
exported undecodable, "UNSIZED..cannot be decoded"
	mov slot(%rip), %rax
	.byte 0x06
	ret
	.hidden shared_tail
exported tail, "UNSIZED..entered by a jump without a frame of its own"
shared_tail:
	mov slot(%rip), %rax
	ret

# Code with unwind information jumps here as to a function.
exported tail_called, "JUMP..tail-called"
	mov slot(%rip), %rax
	ret
	.p2align 4
"JUMP..tail-calls it":
	.cfi_startproc
	mov slot(%rip), %rax
	jmp entry_tail_called
	.cfi_endproc

# A symbol with a size still counts.
	.set entry_tail_called, tail_called
	.p2align 4
	.type sized, @function
"JUMP..with a size":
sized:
	push %rbx
	mov slot(%rip), %rbx
	pop %rbx
	ret
	.size sized, . - sized

# A symbol inside another function is not a function.
	.p2align 4
"JUMP..holds one":
	.cfi_startproc
	mov slot(%rip), %rax
	xor %edx, %edx
exported inner, "OVERLAPS..inside an FDE"
	ret
	.cfi_endproc

	.section .rodata
	.p2align 3
slot:
	.quad 0
