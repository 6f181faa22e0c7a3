/* SPDX-License-Identifier: MIT */
/*
 * The opening of an instruction: the first bytes, which determine how it is
 * decoded.
 *
 * Prefixes, opcode and ModRM determine an instruction's kind, its length, and
 * the position of its displacement. A SIB byte matters only in whether it has a
 * base and, for uses of the stack pointer, whether the base is rsp.
 * Displacements and immediates do not matter. A program of millions of
 * different instructions therefore has only thousands of openings.
 *
 * Intel SDM volume 2, appendix A, lists the opcodes that have a ModRM byte. An
 * opening may be longer than necessary, even longer than its instruction, but
 * never too short.
 */
#ifndef CLEW_DISASM_OPENING_H
#define CLEW_DISASM_OPENING_H

#include <stdint.h>

#define OPENING_READ_BYTES   16 /* bytes that opening_read() reads */
#define OPENING_MAX_BYTES    14
#define OPENING_PREFIXES_MAX 7

/* 0 bytes: unknown, or too long. */
struct insn_opening {
	unsigned int bytes;
	/* A SIB byte follows, and a disp32 replaces its base. */
	unsigned int is_baseless;
	/* A SIB byte follows, with the base rsp (r12, if there is a prefix). */
	unsigned int is_on_stack;
};

/*
 * Indexed by the first byte; each string is one high half-byte. A digit is the
 * number of bytes to the end of the opcode (1) or of ModRM; more for VEX and
 * EVEX.
 *
 *	r	REX			p	prefix
 *	e	0f: see below		n	XOP, or pop: unknown
 */
static const char opening_first[] = "222211112222111e"
				    "2222111122221111"
				    "222211p1222211p1"
				    "222211p1222211p1"
				    "rrrrrrrrrrrrrrrr"
				    "1111111111111111"
				    "1162pppp12121111"
				    "1111111111111111"
				    "222222222222222n"
				    "1111111111111111"
				    "1111111111111111"
				    "1111111111111111"
				    "2211542211111111"
				    "2222111122222222"
				    "1111111111111111"
				    "p1pp112211111122";

/* Indexed by the byte after 0f. n: 3DNow!, whose opcode comes last. */
static const char opening_second[] = "222221222221222n"
				     "2222222222222222"
				     "2222222222222222"
				     "2222222232322222"
				     "2222222222222222"
				     "2222222222222222"
				     "2222222222222222"
				     "2222222122222222"
				     "1111111111111111"
				     "2222222222222222"
				     "2212222222222222"
				     "2222222222222222"
				     "2222222211111111"
				     "2222222222222222"
				     "2222222222222222"
				     "2222222222222222";

static inline int opening_is_rex(uint8_t byte)
{
	return (byte & 0xf0) == 0x40;
}

/* Returns the opening if the byte at `at` has the digit `follow`. */
static inline struct insn_opening opening_until(const uint8_t *code,
						unsigned int at, char follow)
{
	const unsigned int bytes = at + (unsigned int)(follow - '0');
	const uint8_t modrm = follow != '1' ? code[bytes - 1] : 0;
	const int has_base = (modrm & 7) == 4 && modrm < 0xc0;

	return (struct insn_opening){
		.bytes = bytes,
		.is_baseless =
			has_base & (modrm < 0x40) & ((code[bytes] & 7) == 5),
		.is_on_stack = has_base & ((code[bytes] & 7) == 4),
	};
}

/* Returns the opening of the instruction at `code`. */
static inline struct insn_opening opening_read(
	const uint8_t code[OPENING_READ_BYTES])
{
	unsigned int at = 0;
	char follow;

	while (opening_first[code[at]] == 'p' && at <= OPENING_PREFIXES_MAX)
		at++;
	if (at > OPENING_PREFIXES_MAX)
		return (struct insn_opening){ 0 };
	at += (unsigned int)opening_is_rex(code[at]);
	follow = opening_first[code[at]];
	if (follow == 'e')
		follow = opening_second[code[++at]];
	if (follow > '9')
		return (struct insn_opening){ 0 };
	return opening_until(code, at, follow);
}

#endif
