/* SPDX-License-Identifier: MIT */
/*
 * The first bytes of an instruction, which tell how it is to be read.
 *
 * Prefixes, opcode and ModRM say what an instruction does to the flow, how long it is
 * and where its displacement lies; of a SIB byte only whether it names a base
 * matters, and, for what is done with the stack pointer, whether that is it. Displacements and immediates say nothing of that. So a program of
 * millions of different instructions has only thousands of openings.
 *
 * Which opcodes have a ModRM byte: Intel SDM volume 2, appendix A. An opening may be
 * longer than needed, even than its instruction, but never too short.
 */
#ifndef CLEW_DISASM_OPENING_H
#define CLEW_DISASM_OPENING_H

#include <stdint.h>

#define OPENING_READ_BYTES   16 /* that are looked at */
#define OPENING_MAX_BYTES    14
#define OPENING_PREFIXES_MAX 7

/* No bytes: none is known, or it is too long. */
struct insn_opening {
	unsigned int bytes;
	/* A SIB byte follows, and its base is a disp32, or rsp or by a prefix r12. */
	unsigned int is_baseless;
	unsigned int is_on_stack;
};

/*
 * By the first byte, a row for each of its higher halves. A digit says how many bytes
 * there are up to the end of the opcode (1), or of ModRM: more for VEX and EVEX.
 *
 *	r	REX			p	prefix
 *	e	0f: see below		n	XOP, or pop: not known
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

/* The same from the byte behind 0f on. n: 3DNow!, whose opcode comes last */
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

/* Where `follow`, a digit, was found for the byte at `at`. */
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

/* The opening of whatever instruction begins at `code`. */
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
