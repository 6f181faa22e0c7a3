/* SPDX-License-Identifier: MIT */
/*
 * Decodes one x86-64 instruction, as far as patching needs it.
 *
 * Each architecture's decode.c is the only file that calls the disassembler
 * library. A decoder allocates memory only when it is opened, from the caller's
 * hook, and never frees any: to close it, free the memory. A decoder serves one
 * thread at a time; any number may exist.
 */
#ifndef CLEW_DISASM_DECODE_H
#define CLEW_DISASM_DECODE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define INSN_MAX_BYTES 15

/* Returns zeroed memory, 16-byte aligned, or NULL. */
typedef void *(*decoder_alloc)(void *context, size_t bytes);

struct decoder {
	/* capstone's handle for lengths and kinds only, which is fast */
	size_t scan;
	size_t detail;   /* handle that also decodes operands */
	void *workspace; /* memory for decoding one instruction */
};

enum insn_kind {
	INSN_PLAIN,         /* falls through and works at any address */
	INSN_JUMP,          /* jmp rel */
	INSN_JUMP_IF,       /* jcc rel */
	INSN_LOOP,          /* loop*, jrcxz, jecxz: rel8 only */
	INSN_CALL,          /* call rel */
	INSN_JUMP_INDIRECT, /* jmp r/m, far jumps */
	INSN_CALL_INDIRECT, /* call r/m, far calls */
	INSN_RETURN,        /* ret, iret, sysret */
	INSN_STOP,          /* ud2, hlt: execution ends */
	INSN_NOP,
	INSN_TRAP,   /* int3 */
	INSN_ENDBR,  /* endbr64 */
	INSN_SYSTEM, /* syscall, int n, xbegin: exposes its own address */
};

struct insn {
	uint8_t kind;   /* enum insn_kind */
	uint8_t length; /* bytes, 1 to INSN_MAX_BYTES */
	/* The offsets are set by decode_operands() only; 0 means none. */
	uint8_t modrm_at;    /* offset of the ModRM byte */
	uint8_t rip_disp_at; /* offset of a rip-relative disp32 */
	/*
	 * Distance from the end of the instruction to the target of JUMP to
	 * CALL.
	 */
	int32_t branch_bytes;
	/*
	 * Set by decode_operands() only; also set in doubt. uses_stack: the
	 * instruction uses the stack pointer in other ways than a call, or a
	 * return that removes no arguments. sets_stack: the instruction may
	 * change the stack pointer by other than a constant number of bytes.
	 */
	uint8_t uses_stack;
	uint8_t sets_stack;
};

/* Prepares a decoder. Returns 0, -ENOMEM, or -ENOSYS if capstone fails. */
int decoder_open(struct decoder *decoder, decoder_alloc alloc, void *context);

/*
 * Decodes the instruction at `code`. Returns 0, or -EILSEQ if it is unknown or
 * cut off after `bytes`.
 */
int decode_scan(const struct decoder *decoder, const uint8_t *code,
		size_t bytes, struct insn *out);

/* Like decode_scan(), and also sets the fields that need operands; slower. */
int decode_operands(const struct decoder *decoder, const uint8_t *code,
		    size_t bytes, struct insn *out);

/* vsnprintf() or a replacement. */
typedef int (*decoder_format)(char *out, size_t bytes, const char *format,
			      va_list arguments);

/*
 * Writes the instruction at `code`, which runs at pc, as text that is valid
 * until the decoder decodes the next one. Returns 0, or -EILSEQ, also for some
 * instructions that decode_scan() knows.
 */
int decode_text(const struct decoder *decoder, const uint8_t *code,
		size_t bytes, uint64_t pc, decoder_format format,
		const char **mnemonic, const char **operands);

/*
 * Ends the decoding that runs in this thread: its function then returns
 * -EILSEQ. The disassembler library calls this if it finds itself broken.
 */
_Noreturn void decode_abandon(void);

/* How an instruction uses the CPU flags that its predecessor has set. */
enum flags_use { FLAGS_ARE_KEPT, FLAGS_ARE_READ, FLAGS_ARE_WRITTEN };

/*
 * Returns how the instruction at `code` uses the flags: FLAGS_ARE_READ also if
 * it reads and writes flags, FLAGS_ARE_KEPT also if it cannot be decoded.
 * Reading the direction flag, as string instructions do, does not count.
 */
enum flags_use decode_flags(const struct decoder *decoder, const uint8_t *code,
			    size_t bytes);

/*
 * Returns whether execution never continues from this instruction to the next
 * one in memory.
 */
static inline int insn_ends_flow(const struct insn *insn)
{
	return insn->kind == INSN_JUMP || insn->kind == INSN_JUMP_INDIRECT ||
	       insn->kind == INSN_RETURN || insn->kind == INSN_STOP;
}

/* Returns whether branch_bytes is set. */
static inline int insn_is_direct_branch(const struct insn *insn)
{
	return insn->kind >= INSN_JUMP && insn->kind <= INSN_CALL;
}

#endif
