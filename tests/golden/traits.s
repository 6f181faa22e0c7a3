# Modules with one trait each of their code; -DSIGN=... selects it. The linker is
# allowed to leave undefined symbols to other modules.
	.macro defined name
	.globl \name
	.type \name, @function
\name:	ret
	.size \name, . - \name
	.endm

	.text
	.globl plain
	.type plain, @function
plain:
	.cfi_startproc
	push %rbx
	nopl 0(%rax)
	pop %rbx
	ret
	.cfi_endproc
	.size plain, . - plain

	.ifdef OCAML
	defined caml_program
	.endif
	.ifdef HASKELL
	jmp stg_upd_frame_info@PLT
	.endif
	.ifdef V8
	defined _ZN2v82V832SetReturnAddressLocationResolverEPFmmE
	.endif
	.ifdef GO
	.section .gopclntab, "a"
	.long 0
	.endif
# What a C program has that links libraries of all these kinds.
	.ifdef NONE
	call caml_startup@PLT
	call caml_program@PLT
	call hs_init@PLT
	call _ZN2v82V832SetReturnAddressLocationResolverEPFmmE@PLT
	.endif
