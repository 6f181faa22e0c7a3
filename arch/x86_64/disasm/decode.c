/* SPDX-License-Identifier: MIT */
/*
 * The only file that calls capstone.
 *
 * Capstone allocates memory through global function pointers without a context:
 * permanently when it is opened and at the first instruction, and later for
 * copies of the mnemonics of a few rare instructions, which it frees before it
 * returns. A thread-local variable therefore identifies the decoder while the
 * library runs. Memory for opening comes from the caller's hook, memory for
 * decoding from a scratch area that is empty before each instruction. The
 * library does not survive a failed allocation while it decodes.
 *
 * Capstone also formats every instruction as text. Only decode_text() needs
 * that text: in all other calls the formatting hook writes nothing.
 *
 * The targets of branches are read from the bytes, in branch.c, so that
 * scanning needs no operands (CS_OPT_DETAIL would cost a quarter of the speed).
 */
#include "disasm/decode.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <string.h>

#include "disasm/branch.h"
#include "disasm/decoded.h"
#include "disasm/newer.h"

/* capstone 5 corrected the name of this instruction. */
#if CS_API_MAJOR < 5
#define X86_INS_UD1 X86_INS_UD2B
#endif

#define SCRATCH_BYTES 2048

/* The memory at decoder->workspace. */
struct workspace {
	cs_insn insn;
	cs_detail detail;
	decoder_alloc alloc; /* NULL once the decoder is open */
	void *context;
	decoder_format format; /* not NULL only in decode_text() */
	size_t scratch_used;
	void *abandoned[5]; /* where decode_abandon() continues */
	_Alignas(16) unsigned char scratch[SCRATCH_BYTES];
	struct decoded decoded;
};

/* Not NULL only while the library runs in this thread. */
static _Thread_local struct workspace *working
	__attribute__((tls_model("initial-exec")));

static void *scratch_alloc(struct workspace *ws, size_t bytes)
{
	void *memory = ws->scratch + ws->scratch_used;

	if (bytes > SCRATCH_BYTES - ws->scratch_used)
		return NULL;
	ws->scratch_used += (bytes + 15) & ~(size_t)15;
	return memory;
}

static void *hook_malloc(size_t bytes)
{
	struct workspace *ws = working;

	if (!ws || bytes > SIZE_MAX / 2)
		return NULL;
	if (ws->alloc)
		return ws->alloc(ws->context, bytes);
	return scratch_alloc(ws, bytes);
}

static void *hook_calloc(size_t count, size_t bytes)
{
	void *memory = hook_malloc(count * bytes);

	return memory ? memset(memory, 0, count * bytes) : NULL;
}

static void *hook_realloc(void *old, size_t bytes)
{
	return NULL; /* capstone calls this only for whole listings */
}

static void hook_free(void *old)
{
}

static int hook_vsnprintf(char *out, size_t bytes, const char *format,
			  va_list arguments)
{
	if (working && working->format)
		return working->format(out, bytes, format, arguments);
	if (bytes)
		*out = '\0';
	return 0;
}

_Noreturn void decode_abandon(void)
{
	if (working)
		__builtin_longjmp(working->abandoned, 1);
	__builtin_trap();
}

static int disassemble(csh handle, struct workspace *ws, const uint8_t *code,
		       size_t bytes, uint64_t pc)
{
	int is_known;

	ws->scratch_used = 0;
	working = ws;
	is_known = !__builtin_setjmp(ws->abandoned) &&
		   cs_disasm_iter(handle, &code, &bytes, &pc, &ws->insn);
	working = NULL;
	return is_known ? 0 : -EILSEQ;
}

/*
 * Opens a handle and decodes once, because the library then completes its
 * tables.
 */
static int open_handle(csh *handle, cs_opt_value detail, struct workspace *ws)
{
	static const uint8_t nop[] = { 0x90 };
	int err = 0;

	working = ws;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, handle) != CS_ERR_OK ||
	    cs_option(*handle, CS_OPT_DETAIL, detail) != CS_ERR_OK)
		err = -ENOSYS;
	working = NULL;
	return err ? err : disassemble(*handle, ws, nop, sizeof(nop), 0);
}

static int open_handles(struct decoder *decoder, struct workspace *ws)
{
	cs_opt_mem hooks = {
		.malloc = hook_malloc,
		.calloc = hook_calloc,
		.realloc = hook_realloc,
		.free = hook_free,
		.vsnprintf = hook_vsnprintf,
	};
	csh scan = 0;
	csh detail = 0;
	int err;

	if (cs_option(0, CS_OPT_MEM, (size_t)&hooks) != CS_ERR_OK)
		return -ENOSYS;
	err = open_handle(&scan, CS_OPT_OFF, ws);
	if (!err)
		err = open_handle(&detail, CS_OPT_ON, ws);
	if (!err)
		*decoder = (struct decoder){ scan, detail, ws };
	return err;
}

static enum insn_kind kind_of(unsigned int id)
{
	switch (id) {
	case X86_INS_JMP:
		return INSN_JUMP;
	case X86_INS_JAE:
	case X86_INS_JA:
	case X86_INS_JBE:
	case X86_INS_JB:
	case X86_INS_JE:
	case X86_INS_JGE:
	case X86_INS_JG:
	case X86_INS_JLE:
	case X86_INS_JL:
	case X86_INS_JNE:
	case X86_INS_JNO:
	case X86_INS_JNP:
	case X86_INS_JNS:
	case X86_INS_JO:
	case X86_INS_JP:
	case X86_INS_JS:
		return INSN_JUMP_IF;
	case X86_INS_JCXZ:
	case X86_INS_JECXZ:
	case X86_INS_JRCXZ:
	case X86_INS_LOOP:
	case X86_INS_LOOPE:
	case X86_INS_LOOPNE:
		return INSN_LOOP;
	case X86_INS_CALL:
		return INSN_CALL;
	case X86_INS_LJMP:
		return INSN_JUMP_INDIRECT;
	case X86_INS_LCALL:
		return INSN_CALL_INDIRECT;
	case X86_INS_RET:
	case X86_INS_RETF:
	case X86_INS_RETFQ:
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ:
	case X86_INS_SYSEXIT:
	case X86_INS_SYSRET:
		return INSN_RETURN;
	case X86_INS_UD2:
	case X86_INS_HLT:
		return INSN_STOP;
	case X86_INS_NOP:
		return INSN_NOP;
	case X86_INS_INT3:
		return INSN_TRAP;
	case X86_INS_ENDBR64:
		return INSN_ENDBR;
	case X86_INS_INT:
	case X86_INS_INT1:
	case X86_INS_INTO:
	case X86_INS_SYSCALL:
	case X86_INS_SYSENTER:
	case X86_INS_XBEGIN:
		return INSN_SYSTEM;
	default:
		return INSN_PLAIN;
	}
}

/* Converts the library's result into a struct insn. */
static int classify(const cs_insn *raw, const uint8_t *code, struct insn *out)
{
	struct insn insn = { 0 };
	int err = 0;

	/* This version of capstone omits the operands of ud0 and ud1. */
	if (raw->id == X86_INS_UD0 || raw->id == X86_INS_UD1 ||
	    branch_has_idle_rex(code, raw->size))
		return -EILSEQ;
	insn.kind = kind_of(raw->id);
	insn.length = (uint8_t)raw->size;
	if (insn_is_direct_branch(&insn))
		err = branch_read(code, &insn);
	if (!err)
		*out = insn;
	return err;
}

static int mentions_rip(const cs_x86 *x86)
{
	for (int i = 0; i < x86->op_count; i++) {
		const cs_x86_op *op = &x86->operands[i];

		if (op->type == X86_OP_MEM && (op->mem.base == X86_REG_RIP ||
					       op->mem.base == X86_REG_EIP))
			return 1;
	}
	return 0;
}

/*
 * Sets modrm_at and rip_disp_at; mod 00, rm 101 is rip-relative. The library's
 * own offset of the displacement is not used, because it is wrong after a 66
 * prefix. An instruction whose ModRM byte contradicts the library's operands is
 * refused.
 */
static int locate_operands(const cs_x86 *x86, const uint8_t *code,
			   struct insn *insn)
{
	uint8_t at = x86->encoding.modrm_offset;
	int reads_rip;

	if (at == 0)
		return mentions_rip(x86) ? -EILSEQ : 0;
	reads_rip = (code[at] & 0xc7) == 0x05;
	if (code[at] != x86->modrm || at >= insn->length ||
	    (mentions_rip(x86) && !reads_rip))
		return -EILSEQ;
	if (reads_rip && at + 1 + 4 > insn->length)
		return -EILSEQ;
	insn->modrm_at = at;
	insn->rip_disp_at = reads_rip ? at + 1 : 0;
	return 0;
}

static int is_stack_pointer(unsigned int reg)
{
	return reg == X86_REG_RSP || reg == X86_REG_ESP || reg == X86_REG_SP ||
	       reg == X86_REG_SPL;
}

static int has_stack_pointer(const uint16_t *regs, uint8_t count)
{
	for (uint8_t i = 0; i < count; i++)
		if (is_stack_pointer(regs[i]))
			return 1;
	return 0;
}

/*
 * Returns whether the library's list of implicit registers lacks the stack
 * pointer.
 */
static int is_silent_about_stack(unsigned int id)
{
	return id == X86_INS_ENTER || id == X86_INS_IRET ||
	       id == X86_INS_IRETD || id == X86_INS_IRETQ ||
	       id == X86_INS_RETF || id == X86_INS_RETFQ || id == X86_INS_LCALL;
}

static int names_stack_pointer(const cs_x86 *x86)
{
	for (int i = 0; i < x86->op_count; i++) {
		const cs_x86_op *op = &x86->operands[i];

		if (op->type == X86_OP_REG
			    ? is_stack_pointer(op->reg)
			    : op->type == X86_OP_MEM &&
				      is_stack_pointer(op->mem.base))
			return 1;
	}
	return 0;
}

/* Returns insn.uses_stack for the instruction that was decoded last. */
static int uses_stack(unsigned int id, const cs_detail *detail)
{
	if (names_stack_pointer(&detail->x86) || is_silent_about_stack(id))
		return 1;
	if (id == X86_INS_CALL ||
	    (id == X86_INS_RET && detail->x86.op_count == 0))
		return 0;
	return has_stack_pointer(detail->regs_read, detail->regs_read_count) ||
	       has_stack_pointer(detail->regs_write, detail->regs_write_count);
}

/*
 * Returns whether the instruction adds a constant to the stack pointer or
 * subtracts one.
 */
static int is_stack_adjustment(unsigned int id, const cs_x86 *x86)
{
	return (id == X86_INS_ADD || id == X86_INS_SUB) && x86->op_count == 2 &&
	       x86->operands[0].type == X86_OP_REG &&
	       x86->operands[0].reg == X86_REG_RSP &&
	       x86->operands[1].type == X86_OP_IMM;
}

/* Returns how many of the first operands the instruction writes. */
static int written_operands(unsigned int id, const cs_x86 *x86)
{
	switch (id) {
	case X86_INS_CMP:
	case X86_INS_TEST:
	case X86_INS_PUSH:
		return 0;
	case X86_INS_XCHG:
	case X86_INS_XADD:
		return 2;
	default:
		return x86->op_count > 0;
	}
}

/* Returns insn.sets_stack for the instruction that was decoded last. */
static int sets_stack(unsigned int id, const cs_x86 *x86)
{
	int written;

	if (is_silent_about_stack(id) || id == X86_INS_LEAVE)
		return 1;
	if (is_stack_adjustment(id, x86))
		return 0;
	written = written_operands(id, x86);
	for (int i = 0; i < written && i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_REG &&
		    is_stack_pointer(x86->operands[i].reg))
			return 1;
	return 0;
}

int decoder_open(struct decoder *decoder, decoder_alloc alloc, void *context)
{
	struct workspace *ws = alloc(context, sizeof(*ws));
	int err;

	if (!ws)
		return -ENOMEM;
	ws->insn.detail = &ws->detail;
	ws->alloc = alloc;
	ws->context = context;
	err = open_handles(decoder, ws);
	ws->alloc = NULL;
	return err;
}

static int scan(csh handle, struct workspace *ws, const uint8_t *code,
		size_t bytes, struct insn *out)
{
	if (disassemble(handle, ws, code, bytes, 0))
		return newer_decode(code, bytes, out);
	return classify(&ws->insn, code, out);
}

static int scan_operands(csh handle, struct workspace *ws, const uint8_t *code,
			 size_t bytes, struct insn *out)
{
	struct insn insn;
	int err;

	if (disassemble(handle, ws, code, bytes, 0)) {
		err = newer_decode(code, bytes, &insn);
		insn.uses_stack = 1;
		insn.sets_stack = 1;
	} else {
		err = classify(&ws->insn, code, &insn);
		if (!err)
			err = locate_operands(&ws->detail.x86, code, &insn);
		insn.uses_stack = (uint8_t)uses_stack(ws->insn.id, &ws->detail);
		insn.sets_stack =
			(uint8_t)sets_stack(ws->insn.id, &ws->detail.x86);
	}
	if (!err)
		*out = insn;
	return err;
}

int decode_scan(const struct decoder *decoder, const uint8_t *code,
		size_t bytes, struct insn *out)
{
	struct workspace *ws = decoder->workspace;
	int err;

	if (decoded_find(&ws->decoded, DECODED_KIND, code, bytes, out))
		return 0;
	err = scan(decoder->scan, ws, code, bytes, out);
	if (!err)
		decoded_keep(&ws->decoded, DECODED_KIND, code, bytes, out);
	return err;
}

int decode_operands(const struct decoder *decoder, const uint8_t *code,
		    size_t bytes, struct insn *out)
{
	struct workspace *ws = decoder->workspace;
	int err;

	if (decoded_find(&ws->decoded, DECODED_OPERANDS, code, bytes, out))
		return 0;
	err = scan_operands(decoder->detail, ws, code, bytes, out);
	if (!err)
		decoded_keep(&ws->decoded, DECODED_OPERANDS, code, bytes, out);
	return err;
}

int decode_text(const struct decoder *decoder, const uint8_t *code,
		size_t bytes, uint64_t pc, decoder_format format,
		const char **mnemonic, const char **operands)
{
	struct workspace *ws = decoder->workspace;
	int err;

	ws->format = format;
	cs_option(decoder->detail, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	err = disassemble(decoder->detail, ws, code, bytes, pc);
	cs_option(decoder->detail, CS_OPT_SYNTAX, CS_OPT_SYNTAX_INTEL);
	ws->format = NULL;
	if (err)
		return err;
	*mnemonic = ws->insn.mnemonic;
	*operands = ws->insn.op_str;
	return 0;
}

static int has_flags(const uint16_t *regs, uint8_t count)
{
	for (uint8_t i = 0; i < count; i++)
		if (regs[i] == X86_REG_EFLAGS)
			return 1;
	return 0;
}

/*
 * Returns whether this is a string instruction. The only flag that it reads is
 * the direction flag, which stubs do not change.
 */
static int is_string_insn(unsigned int id)
{
	switch (id) {
	case X86_INS_MOVSB:
	case X86_INS_MOVSW:
	case X86_INS_MOVSD:
	case X86_INS_MOVSQ:
	case X86_INS_STOSB:
	case X86_INS_STOSW:
	case X86_INS_STOSD:
	case X86_INS_STOSQ:
	case X86_INS_LODSB:
	case X86_INS_LODSW:
	case X86_INS_LODSD:
	case X86_INS_LODSQ:
	case X86_INS_CMPSB:
	case X86_INS_CMPSW:
	case X86_INS_CMPSD:
	case X86_INS_CMPSQ:
	case X86_INS_SCASB:
	case X86_INS_SCASW:
	case X86_INS_SCASD:
	case X86_INS_SCASQ:
		return 1;
	default:
		return 0;
	}
}

/*
 * capstone 4 does not list the flags among the registers that these
 * instructions write.
 */
static int is_exchange(unsigned int id)
{
	return id == X86_INS_CMPXCHG || id == X86_INS_CMPXCHG8B ||
	       id == X86_INS_CMPXCHG16B;
}

enum flags_use decode_flags(const struct decoder *decoder, const uint8_t *code,
			    size_t bytes)
{
	struct workspace *ws = decoder->workspace;
	const cs_detail *detail = &ws->detail;

	if (disassemble(decoder->detail, ws, code, bytes, 0))
		return FLAGS_ARE_KEPT;
	if (is_exchange(ws->insn.id))
		return FLAGS_ARE_WRITTEN;
	if (!is_string_insn(ws->insn.id) &&
	    has_flags(detail->regs_read, detail->regs_read_count))
		return FLAGS_ARE_READ;
	return has_flags(detail->regs_write, detail->regs_write_count)
		       ? FLAGS_ARE_WRITTEN
		       : FLAGS_ARE_KEPT;
}
