# Branches whose targets appear only in data: see verdicts.s. With PIC defined, as
# in shared objects; without, as in programs at fixed addresses.
	.macro function label
	.p2align 4, 0xcc
"\label":
	.cfi_startproc
	.endm
	.macro end
	.cfi_endproc
	.endm
	.macro body
	xor %eax, %eax
	xor %edx, %edx
	ret
	.endm

	.text
# switch, as compilers write it for code that may lie anywhere.
function "JUMP_SHORT..jump table of distances"
	push %rbx
	push %rbp
one:	lea distances(%rip), %rdx
	movslq (%rdx,%rdi,4), %rax
	add %rdx, %rax
	jmp *%rax
two:	pop %rbp
	pop %rbx
	ret
	end

function "JUMP,LOOPS..jump table to its own start"
zero:	lea to_start(%rip), %rdx
	movslq (%rdx,%rdi,4), %rax
	add %rdx, %rax
	jmp *%rax
zero_end: body
	end

# The first table ends where the second begins. If it continued, its next entry
# would lead between two displaced instructions, 16 bytes before `seventeenth`.
function "JUMP..two tables, one behind the other"
	push %rbx
	push %rbp
	mov %rdi, %rax
	lea second_of_two(%rip), %rdx
	movslq (%rdx,%rsi,4), %rsi
	nop
seventeenth:
	lea first_of_two(%rip), %rcx
	movslq (%rcx,%rdi,4), %rdi
	add %rcx, %rdi
	jmp *%rdi
in_first:
	pop %rbp
	pop %rbx
	ret
	end

# The table ends at the first entry that leads out of its function.
function "JUMP..next to a table that is not its own"
	mov %rdi, %rax
	body
	end

function "JUMP_SHORT..computed goto"
	push %rbx
	push %rbp
three:	pop %rbp
	pop %rbx
	jmp *%rdi
	end

function "JUMP..function pointer"
pointed:
	mov %rdi, %rax
	body
	end

	.ifndef PIC
function "JUMP_SHORT..jump table of addresses"
	push %rbx
	push %rbp
four:	notrack jmp *addresses(,%rdi,8)
five:	pop %rbp
	pop %rbx
	ret
	end

function "JUMP_SHORT..jump table loaded from"
	push %rbx
	push %rbp
six:	mov other_addresses(,%r9,8), %r9
	jmp *%r9
	end
	.endif

	.section .rodata
	.p2align 2
distances:
	.long two - distances, one - distances
	.long pointed + 3 - distances	# far off: something else
first_of_two:
	.long in_first - first_of_two, in_first - first_of_two
	.long in_first - first_of_two, in_first - first_of_two
second_of_two:
	.long seventeenth - second_of_two
	.long pointed + 3 - second_of_two
to_start:
	.long zero_end - to_start, zero - to_start
	.long pointed + 3 - to_start
	.ifndef PIC
	.byte 0				# aligned to nothing
addresses:
	.quad five, four
other_addresses:
	.quad six, 0
	.endif
	.section .data.rel.ro, "aw"
	.p2align 3
	.quad three
	.quad pointed
