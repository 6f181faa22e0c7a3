# Functions that only code of other functions reveals: their symbols have no type,
# and only those whose label says so have unwind information. See verdicts.s.
	.macro label name
	.p2align 4, 0xcc
"\name":
	.endm

	.text
label "JUMP..with unwind information calls them"
	.cfi_startproc
	push %rbx
	.cfi_def_cfa_offset 16
	call called
	call loads
	call pops
	call takes_flags
	call odd_return
	call with_frame
	call midway
	call jumps_midway
	call tail_calls
	call aligned
	call switches
	call undecodable
	lea pushes(%rip), %rdi
	lea data(%rip), %rsi
	pop %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc

label "JUMP..called"
called:	push %rbx
	sub $0x20, %rsp
	mov %rdi, (%rsp)
	mov 0x18(%rsp), %rbx
	lea 0x8(%rsp), %rax
	call called_in_turn
	add $0x20, %rsp
	pop %rbx
	ret

label "JUMP..called by what is called"
called_in_turn:
	mov %rdi, %rax
	imul %rax, %rax
	ret

label "READS_RETURN_ADDRESS..loads it"
loads:	sub $0x18, %rsp
	mov 0x18(%rsp), %rax
	add $0x18, %rsp
	ret

label "READS_RETURN_ADDRESS..pops it"
pops:	pop %rdx
	mov %rdx, (%rdi)
	jmp *%rdx

label "BLIND..is given something in flags"
takes_flags:
	mov %rdi, %rax
	cmovz %rsi, %rax
	ret

label "BLIND..does not return to where it was called"
odd_return:
	push %rdi
	mov %rdi, %rax
	ret

label "JUMP..has a frame pointer"
with_frame:
	push %rbp
	mov %rsp, %rbp
	sub %rdi, %rsp
	mov %rdi, -8(%rbp)
	leave
	ret

label "BLIND..another one comes with a frame of his own"
midway:	mov %rdi, %rax
	add $0x8, %rsp
	sub $0x8, %rsp
	ret

label "BLIND..jumps there"
jumps_midway:
	push %rdi
	mov %rdi, %rax
	jmp midway

label "JUMP..tail-calls"
tail_calls:
	mov %rdi, %rsi
	jmp tail_called

label "JUMP..aligns its stack"
aligned:
	push %rbp
	mov %rsp, %rbp
	and $-32, %rsp
	sub $0x40, %rsp
	mov %rdi, 0x8(%rsp)
	leave
	ret

label "JUMP..is only ever called by a jump"
tail_called:
	mov %rsi, %rax
	imul %rax, %rax
	ret

label "JUMP..has a switch"
switches:
	push %rbx
	lea table(%rip), %rax
	movslq (%rax,%rdi,4), %rbx
	add %rbx, %rax
	jmp *%rax
	.p2align 4, 0xcc
first:	mov %rdi, %rax
	pop %rbx
	ret
	.p2align 4, 0xcc
second:	mov %rsi, %rax
	pop %rbx
	ret

label "UNDECODABLE..in its middle"
undecodable:
	mov %rdi, %rax
	.byte 0x06
	ret

label "JUMP..a pointer leads there, and it begins as functions do"
pushes:	push %rbx
	mov %rdi, %rbx
	mov %rbx, %rax
	pop %rbx
	ret

label "JUMP..endbr64"
	endbr64
	mov %rdi, %rax
	imul %rax, %rax
	ret

# Constants that happen to be good code.
label "BARE..a pointer leads there"
data:	mov %rdi, %rax
	imul %rax, %rax
	ret

label "BARE..nobody tells of it"
	push %rbx
	mov %rdi, %rax
	pop %rbx
	ret

	.section .rodata
	.p2align 2
table:	.long first - table, second - table
