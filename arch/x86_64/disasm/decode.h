/* SPDX-License-Identifier: MIT */
/*
 * One x86-64 instruction, as far as patching needs to know it.
 *
 * decode.c of each machine is the one file that sees the disassembler library. Opening a
 * decoder is the only moment it takes memory, from the caller's hook, and none
 * of it is ever given back singly: drop the memory and the decoder is gone.
 * A decoder serves one thread at a time; any number may exist.
 */
#ifndef CLEW_DISASM_DECODE_H
#define CLEW_DISASM_DECODE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define INSN_MAX_BYTES 15

/* Zeroed memory, 16-byte aligned, or NULL. */
typedef void *(*decoder_alloc)(void *context, size_t bytes);

struct decoder {
	size_t scan;     /* handle that knows lengths and kinds, fast */
	size_t detail;   /* handle that knows operands too */
	void *workspace; /* what the library needs for one instruction */
};

enum insn_kind {
	INSN_PLAIN,         /* falls through and does not care where it runs */
	INSN_JUMP,          /* jmp rel */
	INSN_JUMP_IF,       /* jcc rel */
	INSN_LOOP,          /* loop*, jrcxz, jecxz: rel8 only */
	INSN_CALL,          /* call rel */
	INSN_JUMP_INDIRECT, /* jmp r/m, far jumps */
	INSN_CALL_INDIRECT, /* call r/m, far calls */
	INSN_RETURN,        /* ret, iret, sysret */
	INSN_STOP,          /* ud2, hlt: nothing comes after it */
	INSN_NOP,
	INSN_TRAP,   /* int3 */
	INSN_ENDBR,  /* endbr64 */
	INSN_SYSTEM, /* syscall, int n, xbegin: exposes its own address */
};

struct insn {
	uint8_t kind;   /* enum insn_kind */
	uint8_t length; /* bytes, 1 to INSN_MAX_BYTES */
	/* With operands only; a location of 0 means that there is none. */
	uint8_t modrm_at;    /* offset of the ModRM byte */
	uint8_t rip_disp_at; /* offset of a rip-relative disp32 */
	/* From the end of the instruction to where JUMP to CALL lead. */
	int32_t branch_bytes;
	/*
	 * With operands only; set where it is not known, too. Whether it does more
	 * with the stack pointer than to call, or to return without taking arguments
	 * with it; and whether it may leave the stack pointer anywhere else than so
	 * many bytes from where it was as the instruction itself says.
	 */
	uint8_t uses_stack;
	uint8_t sets_stack;
};

/* 0, -ENOMEM, or -ENOSYS where the library refuses. */
int decoder_open(struct decoder *decoder, decoder_alloc alloc, void *context);

/*
 * Decode the instruction at `code`: 0, or -EILSEQ when it is not understood,
 * which includes one that is cut off after `bytes`.
 */
int decode_scan(const struct decoder *decoder, const uint8_t *code,
		size_t bytes, struct insn *out);

/* The same, with what is there with operands only; dearer. */
int decode_operands(const struct decoder *decoder, const uint8_t *code,
		    size_t bytes, struct insn *out);

/* vsnprintf(), or what is like it. */
typedef int (*decoder_format)(char *out, size_t bytes, const char *format,
			      va_list arguments);

/*
 * The instruction at `code`, which runs at pc, as text: valid until the decoder
 * decodes the next. 0 or -EILSEQ, also for some that decode_scan() understands.
 */
int decode_text(const struct decoder *decoder, const uint8_t *code,
		size_t bytes, uint64_t pc, decoder_format format,
		const char **mnemonic, const char **operands);

/* What an instruction does with the flags that its predecessor left. */
enum flags_use { FLAGS_ARE_KEPT, FLAGS_ARE_READ, FLAGS_ARE_WRITTEN };

/* Those that are both read and written are read. */
enum flags_use decode_flags(const struct decoder *decoder, const uint8_t *code,
			    size_t bytes);

/* Whether execution never goes on behind it. */
static inline int insn_ends_flow(const struct insn *insn)
{
	return insn->kind == INSN_JUMP || insn->kind == INSN_JUMP_INDIRECT ||
	       insn->kind == INSN_RETURN || insn->kind == INSN_STOP;
}

/* Whether branch_bytes means anything. */
static inline int insn_is_direct_branch(const struct insn *insn)
{
	return insn->kind >= INSN_JUMP && insn->kind <= INSN_CALL;
}

#endif
