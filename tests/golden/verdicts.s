# Functions whose label "VERDICT..description" states the expected verdict. A
# label "VERDICT,LOOPS..description" means that a jump of the function leads to its
# own start. Labels have no type, so they name no function, as in stripped code.
#
# Every function is longer than a jump unless it tests a shorter one.
	.macro function label
	.p2align 4, 0xcc
"\label":
	.cfi_startproc
	.endm
	.macro end
	.cfi_endproc
	.endm
	.macro body
	push %rbx
	mov %rdi, %rbx
	pop %rbx
	ret
	.endm

	.text
function "JUMP..plain"
	body
	end

function "JUMP_PADDED..short"
	xor %eax, %eax
	ret
	end

# The next function follows at once, but there is padding near by.
	.p2align 4, 0xcc
	.skip 14, 0x90
"JUMP_SHORT..no padding":
	.cfi_startproc
	xor %eax, %eax
	ret
	.cfi_endproc
"JUMP..behind the short one":
	.cfi_startproc
	body
	.cfi_endproc

# A jump into another function, like mempcpy's into memmove.
function "JUMP..jumps into the next"
	mov %rdi, %rax
	add %rdx, %rax
	jmp inner
	end
function "JUMP_SHORT..entered from another function"
	mov %rdi, %rax
inner:	cmp $32, %rdx
	body
	end

function "TRAP..address of a label taken"
	push %rbx
label:	push %rbp
	lea label(%rip), %rax
	pop %rbp
	pop %rbx
	ret
	end

# The function's branches are unknown, but none leads into an instruction.
function "TRAP,LOOPS..undecodable in its middle"
	body
	.byte 0x06
	ret
	end

function "UNDECODABLE..at its start"
	.byte 0x06
	body
	end

function "JUMP..jrcxz"
	jrcxz 1f
	xor %eax, %eax
	xor %edx, %edx
1:	ret
	end

function "UNMOVABLE..int3"
	int3
	ret
	end

	.type setjmp, @function
function "NAMED..by any of its names"
setjmp:
harmless:
	body
	end
	.size setjmp, . - setjmp
	.type harmless, @function
	.size harmless, . - harmless

function "JUMP..holds another entry"
	body
"OVERLAPS..inside an FDE":
second:
	body
	end
	.type second, @function
	.size second, . - second

# Only a symbol identifies this function.
	.p2align 4, 0xcc
	.type no_fde, @function
"JUMP..symbol without FDE":
no_fde:
	body
	.size no_fde, . - no_fde

function "JUMP..signal frames are not this"
	body
	end

function "SIGNAL_FRAME..trampoline"
	.cfi_signal_frame
	body
	end

function "NO_RETURN_ADDRESS..start"
	.cfi_undefined rip
	body
	end

function "COLD_PART..frame exists already"
	.cfi_def_cfa_offset 16
	body
	end

function "COLD_PART..frame pointer exists already"
	.cfi_def_cfa rbp, 16
	body
	end

# Another function jumps here, and this code jumps back into its middle.
function "JUMP..hot"
	test %rdi, %rdi
	jz cold
	nop
back:	body
	end
function "COLD_PART..jumps back into its function"
cold:	mov $1, %edi
	nop
	jmp back
	end

# Only a conditional jump leads here, to an address that belongs to no function.
function "JUMP..with another part"
	cmp %rdi, %rsi
	jz unlikely
	body
	end
	nop
"COLD_PART..reached by a conditional jump":
unlikely:
	.cfi_startproc
	mov $-1, %eax
	ret
	.cfi_endproc

# A conditional jump and a call lead here.
function "JUMP..calls it"
	cmp %rdi, %rsi
	jz called
	call called
	ret
	end
	nop
"JUMP..reached by jump and call":
called:
	.cfi_startproc
	mov $-1, %eax
	ret
	.cfi_endproc

function "JUMP,LOOPS..begins with a loop"
1:	add %rdi, %rax
	dec %rdi
	jnz 1b
	ret
	end

function "JUMP,LOOPS..begins with a loop that endbr64 is in"
2:	endbr64
	add %rdi, %rax
	dec %rdi
	jnz 2b
	ret
	end

function "JUMP..loops behind its first instruction"
	push %rbx
	push %rbp
	push %r12
	push %r13
	xor %eax, %eax
1:	add %rdi, %rax
	dec %rdi
	jnz 1b
	pop %r13
	pop %r12
	pop %rbp
	pop %rbx
	ret
	end

function "JUMP..calls itself through a pointer"
3:	dec %rdi
	lea 3b(%rip), %rax
	jmp *%rax
	end

function "JUMP,LOOPS..a part of it jumps to its start"
looped:	test %rdi, %rdi
	jz looping_part
	nop
back_in: body
	end
function "COLD_PART..jumps to the start of its function"
looping_part:
	mov $1, %edi
	test %rsi, %rsi
	jz back_in
	jmp looped
	end

function "JUMP,LOOPS..a part of it jumps there and elsewhere"
looped_too: test %rdi, %rdi
	jz leaving_part
	nop
back_there: body
	end
function "COLD_PART..jumps to several starts"
leaving_part:
	mov $1, %edi
	test %rsi, %rsi
	jz back_there
	jnp tail
	jmp looped_too
	end

function "JUMP..tail-calls"
	mov %rsi, %rdi
	jmp tail
	end
function "JUMP..tail-called"
tail:	body
	end

function "READS_RETURN_ADDRESS..at its entry"
	mov (%rsp), %rdx
	mov %rdx, (%rdi)
	ret
	end

function "READS_RETURN_ADDRESS..in a frame"
	push %rbp
	.cfi_def_cfa_offset 16
	mov %rsp, %rbp
	.cfi_def_cfa_register rbp
	mov 8(%rbp), %rax
	pop %rbp
	.cfi_def_cfa rsp, 8
	ret
	end

function "READS_RETURN_ADDRESS..far down"
	sub $0x1000, %rsp
	.cfi_def_cfa_offset 0x1008
	cmp %rax, 0x1000(%rsp)
	add $0x1000, %rsp
	.cfi_def_cfa_offset 8
	ret
	end

function "READS_RETURN_ADDRESS..pushes it again"
	push (%rsp)
	.cfi_def_cfa_offset 16
	pop %rax
	.cfi_def_cfa_offset 8
	ret
	end

# gcc -Os loads constants like this.
function "JUMP..pops a constant that it has pushed"
	push $10
	pop %rax
	push $0x12345
	mov %rdi, %rdx
	pop %r9
	ret
	end

function "READS_RETURN_ADDRESS..pops it behind a constant"
	push $10
	mov %rdi, %rsi
	pop %rax
	pop %rdx
	.cfi_def_cfa_offset 0
	mov %rdx, (%rdi)
	push %rdx
	.cfi_def_cfa_offset 8
	ret
	end

# Code like longjmp's, which does not return.
function "READS_RETURN_ADDRESS..jumps to another frame"
	mov 48(%rdi), %r8
	mov 56(%rdi), %rdx
	.cfi_def_cfa rdi, 0
	.cfi_register rsp, r8
	.cfi_register rip, rdx
	mov %esi, %eax
	mov %r8, %rsp
	jmp *%rdx
	end

# Code like vfork's, which returns twice.
function "READS_RETURN_ADDRESS..pops it and keeps it"
	pop %rdi
	.cfi_def_cfa_offset 0
	mov $58, %eax
	syscall
	push %rdi
	.cfi_def_cfa_offset 8
	ret
	end

function "READS_RETURN_ADDRESS..overwrites it"
	nop
	mov %rdi, (%rsp)
	ret
	end

# The function returns to its caller without ret.
function "JUMP..pops it to jump there"
	pop %r9
	.cfi_def_cfa_offset 0
	xor %eax, %eax
	jmp *%r9
	end

function "JUMP..loads it to jump there"
	push %rbx
	.cfi_def_cfa_offset 16
	mov 8(%rsp), %r8
	pop %rbx
	.cfi_def_cfa_offset 8
	lea 8(%rsp), %rsp
	.cfi_def_cfa_offset 0
	jmp *%r8
	end

# Coroutine switches do this: the return address is on another stack.
function "JUMP..pops it to jump there on another stack"
	push %rbx
	.cfi_def_cfa_offset 16
	mov %rsp, (%rdi)
	mov %rsi, %rsp
	pop %rbx
	.cfi_def_cfa_offset 8
	pop %rcx
	.cfi_def_cfa_offset 0
	.cfi_register rip, rcx
	jmp *%rcx
	end

# A stub would search for its slot at the wrong address.
function "READS_RETURN_ADDRESS..jumps there without popping it"
	mov (%rsp), %rdx
	xor %eax, %eax
	nop
	jmp *%rdx
	end

# Code like setjmp's in some C libraries.
function "READS_RETURN_ADDRESS..pops it, keeps it and jumps there"
	pop %rsi
	.cfi_def_cfa_offset 0
	mov %rsp, 48(%rdi)
	mov %rsi, 56(%rdi)
	jmp *%rsi
	end

# The function passes its return address to a function that reads it.
function "LENDS_RETURN_ADDRESS..jumps to a reader"
lender:	mov %rdi, %rsi
	jmp reader
	end
function "READS_RETURN_ADDRESS..that is jumped to"
reader:	mov (%rsp), %rdx
	mov %rdx, (%rdi)
	ret
	end
function "LENDS_RETURN_ADDRESS..jumps to what jumps to a reader"
	test %rdi, %rdi
	jnz lender
	body
	end
function "JUMP..calls a reader"
	push %rbx
	.cfi_def_cfa_offset 16
	call reader
	pop %rbx
	.cfi_def_cfa_offset 8
	ret
	end
function "LENDS_RETURN_ADDRESS..its cold part jumps to a reader"
	mov %rdi, %rax
	test %rax, %rax
	jz lending_part
	ret
	end
function "COLD_PART..jumps to a reader"
	.cfi_def_cfa_offset 16
lending_part:
	add $8, %rsp
	.cfi_def_cfa_offset 8
	jmp reader
	end
function "LENDS_RETURN_ADDRESS..its cold part reads it"
	mov %rdi, %rax
	sub $8, %rsp
	.cfi_def_cfa_offset 16
	test %rax, %rax
	jz reading_part
	add $8, %rsp
	.cfi_def_cfa_offset 8
	ret
	end
function "COLD_PART..reads the return address"
	.cfi_def_cfa_offset 16
reading_part:
	mov 8(%rsp), %rdi
	add $8, %rsp
	.cfi_def_cfa_offset 8
	ret
	end

# Code like clang's retpolines, whose unwind information omits the inner call.
function "READS_RETURN_ADDRESS..replaces that of a call of its own"
thunk:	call 2f
1:	pause
	lfence
	jmp 1b
2:	mov %r11, (%rsp)
	ret
	end
function "JUMP..contains such a thunk"
	push %rbx
	.cfi_def_cfa_offset 16
	mov %rdi, %rbx
	xor %eax, %eax
	mov (%rbx), %rdx
	pop %rbx
	.cfi_def_cfa_offset 8
	call 2f
1:	pause
	lfence
	jmp 1b
2:	mov %rdx, (%rsp)
	ret
	end
function "JUMP..jumps through a thunk"
	mov (%rdi), %r11
	jmp thunk
	end

# Each function begins like this in a program built with -pg, or -pg -mfentry.
	.type mcount, @function
	.type __fentry__, @function
function "NAMED..mcount"
mcount:	body
	end
function "NAMED..__fentry__"
__fentry__: body
	end
function "CALLS_MCOUNT..in its frame"
	push %rbp
	.cfi_def_cfa_offset 16
	mov %rsp, %rbp
	.cfi_def_cfa_register rbp
	call mcount
	pop %rbp
	.cfi_def_cfa rsp, 8
	ret
	end
function "CALLS_MCOUNT..before it has a frame"
profiled: call __fentry__
	body
	end
function "LENDS_RETURN_ADDRESS..jumps to what calls mcount"
	mov %rdi, %rax
	jmp profiled
	end

# Assembly code, whose functions may have their own calling conventions.
function "TAKES_FLAGS..the carry"
	sbb %eax, %eax
	nop
	nop
	nop
	ret
	end
function "TAKES_FLAGS..far down"
	push %rbx
	.cfi_def_cfa_offset 16
	mov %rdi, %rbx
	lea 1(%rbx), %rax
	rep movsb
	adc %rbx, %rax
	pop %rbx
	.cfi_def_cfa_offset 8
	ret
	end
function "TAKES_FLAGS..behind a jump"
	mov %rdi, %rax
	jmp takes_flags
	end
function "TAKES_FLAGS..in a condition"
takes_flags:
	mov %rsi, %rdx
	jc 1f
	mov %rdi, %rax
1:	ret
	end
function "JUMP..sets the flags that it reads"
	mov %rdi, %rax
	lock cmpxchg %rsi, (%rdi)
	sete %al
	ret
	end
function "JUMP..reads the direction only"
	mov %rdi, %rax
	rep stosb
	ret
	end

function "JUMP..reads its arguments on the stack"
	mov 8(%rsp), %rax
	lea (%rsp), %rdx
	push %rbx
	.cfi_def_cfa_offset 16
	mov (%rsp), %rcx
	mov 8(%rsp,%rcx,8), %rcx
	mov 16(%rsp), %rcx
	mov 8(%r12), %rcx
	pop %rbx
	.cfi_def_cfa_offset 8
	ret
	end

# Exceptions land at its third byte.
function "JUMP_SHORT..landing pad in its first bytes"
	.cfi_lsda 0x1b, landings
	push %rbx
	push %rbx
pad:	mov %rdi, %rbx
	body
	end

# The function begins with a nop, as no landing pad can be at offset 0.
function "COLD_PART..only landing pads"
	.cfi_lsda 0x1b, second_landings
	nop
second_pad: mov %rax, %rdi
	body
	end

	.section .gcc_except_table, "a"
landings:
	.byte 0xff, 0xff, 0x01		# no start, no types, uleb128
	.uleb128 2f - 1f
1:	.uleb128 0, 1, 0, 0		# a call without a landing pad
	.uleb128 1, 1, 2, 0		# and one that has it at offset 2
2:
second_landings:
	.byte 0x1b			# counted from another start
	.long second_pad - 3 - .
	.byte 0x9b			# types: pcrel, indirect
	.uleb128 4f - 3f + 6
3:	.byte 0x03			# udata4
	.uleb128 4f - 5f
5:	.long 0, 1, 3
	.uleb128 1
4:	.skip 8
	.text

	.type moved.cold, @function
function "COLD_PART..by its name"
moved.cold:
	body
	end
	.size moved.cold, . - moved.cold

# Code packed as with -Os: all bytes near by belong to other functions.
	.section .text.packed, "ax", @progbits
"JUMP..before the packed ones":
	.cfi_startproc
	.rept 20
	mov $1, %eax
	mov $2, %edx
	.endr
	ret
	.cfi_endproc
# The jump covers bytes of this function and the next, which keeps its endbr64.
"JUMP_PUNNED..xor and ret":
	.cfi_startproc
	xor %eax, %eax
	ret
	.cfi_endproc
"JUMP..behind endbr64":
	.cfi_startproc
	endbr64
	body
	.cfi_endproc
# The first byte of the next function is its jump.
"TRAP..before a function that is hooked at its start":
	.cfi_startproc
	xor %eax, %eax
	ret
	.cfi_endproc
"JUMP..at once":
	.cfi_startproc
	body
	.cfi_endproc
# Loops to its own entry, with and without knowing its stack.
"JUMP,LOOPS..loops to its entry":
	.cfi_startproc
1:	sub $1, %rdi
	nop
	jg 1b
	ret
	.cfi_endproc
# The function falls through the filler behind it: no space for an island.
"TRAP..runs into padding":
	.cfi_startproc
	push %rdi
	push %rsi
2:	pop %rax
	loop 2b
	.cfi_endproc
	nopl 0(%rax)
	nopl 0(%rax)
"JUMP..entered through the padding before it":
	.cfi_startproc
	body
	.cfi_endproc
# A jump into the filler also leaves no space for an island.
"BARE..returns, too far away to be padding":
	.skip 160, 0xc3
"TRAP..before padding that is entered":
	.cfi_startproc
	push %rdi
	push %rsi
3:	pop %rax
	loop 3b
	jmp 4f
	.cfi_endproc
	nop
4:	nopl 0(%rax)
	nopl 0(%rax)
"JUMP..entered through part of the padding":
	.cfi_startproc
	body
	.cfi_endproc
# Code that starts in the function before reaches here: no space for an island.
"BARE..more of them":
	.skip 160, 0xc3
"TRAP..before padding that is somebody's":
	.cfi_startproc
	push %rdi
	push %rsi
5:	pop %rax
	loop 5b
	ret
"OVERLAPS..reaches behind the other's end":
reaches:
	ret
	.cfi_endproc
	nopl 0(%rax)
	nopl 0(%rax)
	.type reaches, @function
	.size reaches, . - reaches
"JUMP..behind what reaches":
	.cfi_startproc
	body
	.cfi_endproc
"BARE..and more":
	.skip 160, 0xc3

	.section .plt.sec, "ax", @progbits
	.p2align 4
"PLT..entries":
	.cfi_startproc
	.rept 2
	endbr64
	.byte 0xf2 # bnd, which binutils 2.44 no longer accepts
	jmp *pointers(%rip)
	nopl 0(%rax,%rax)
	.endr
	.cfi_endproc

	.section .rodata
pointers:
	.quad 0
