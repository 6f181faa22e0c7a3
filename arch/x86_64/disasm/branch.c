/* SPDX-License-Identifier: MIT */
/* See branch.h. */
#include "disasm/branch.h"

#include <errno.h>
#include <string.h>

static int is_legacy_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 ||
	       byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26 ||
	       byte == 0x64 || byte == 0x65;
}

static int is_rex(uint8_t byte)
{
	return (byte & 0xf0) == 0x40;
}

/* Returns the offset of the opcode; sets *narrow if a 66 prefix has effect. */
static size_t skip_prefixes(const uint8_t *code, size_t length, int *narrow)
{
	size_t at = 0;

	*narrow = 0;
	for (; at < length && is_legacy_prefix(code[at]); at++)
		*narrow |= code[at] == 0x66;
	if (at < length && is_rex(code[at])) {
		if (code[at] & 8) /* the prefix REX.W overrides the prefix 66 */
			*narrow = 0;
		at++;
	}
	return at;
}

int branch_has_idle_rex(const uint8_t *code, size_t length)
{
	int narrow;
	const size_t at = skip_prefixes(code, length, &narrow);

	return at > 0 && at < length && is_rex(code[at - 1]) &&
	       (is_rex(code[at]) || is_legacy_prefix(code[at]));
}

/*
 * Sets the lengths of opcode and displacement of a relative branch, or 1 and 0.
 */
static void relative_form(const uint8_t *opcode, size_t bytes,
			  size_t *opcode_bytes, size_t *rel_bytes)
{
	*opcode_bytes = 1;
	*rel_bytes = 0;
	if (bytes == 0)
		return;
	if (opcode[0] == 0xeb || (opcode[0] & 0xf0) == 0x70 ||
	    (opcode[0] & 0xfc) == 0xe0)
		*rel_bytes = 1;
	else if (opcode[0] == 0xe8 || opcode[0] == 0xe9)
		*rel_bytes = 4;
	else if (bytes > 1 && opcode[0] == 0x0f && (opcode[1] & 0xf0) == 0x80) {
		*opcode_bytes = 2;
		*rel_bytes = 4;
	}
}

int branch_read(const uint8_t *code, struct insn *insn)
{
	int narrow;
	size_t at = skip_prefixes(code, insn->length, &narrow);
	size_t opcode_bytes;
	size_t rel_bytes;
	const int is_indirect = at < insn->length && code[at] == 0xff;

	relative_form(code + at, insn->length - at, &opcode_bytes, &rel_bytes);
	if (is_indirect && insn->kind == INSN_JUMP)
		insn->kind = INSN_JUMP_INDIRECT;
	else if (is_indirect && insn->kind == INSN_CALL)
		insn->kind = INSN_CALL_INDIRECT;
	else if (rel_bytes == 0 || narrow)
		return -EILSEQ;
	else if (at + opcode_bytes + rel_bytes != insn->length)
		return -EILSEQ;
	else if (rel_bytes == 1)
		insn->branch_bytes = (int8_t)code[insn->length - 1];
	else
		memcpy(&insn->branch_bytes, code + insn->length - 4, 4);
	return 0;
}
