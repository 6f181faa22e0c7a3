/* SPDX-License-Identifier: MIT */
#include "disasm/decoded.h"

#include <string.h>

#define KEY_BYTES     16
#define HASH_BITS     12
#define OPENING_BYTES 3 /* prefix, opcode and ModRM, mostly */

_Static_assert(1 << HASH_BITS == DECODED_COUNT, "a place for each hash");
_Static_assert(offsetof(struct decoded_insn, depth) == KEY_BYTES - 1,
	       "the key is what stands in front");

/* An instruction's bytes, zeros, and its depth. */
struct key {
	uint64_t words[2];
};

static size_t hash(uint64_t word)
{
	/* the golden ratio's bits: Knuth, The Art of Computer Programming 6.4 */
	return (size_t)((word * UINT64_C(0x9e3779b97f4a7c15)) >>
			(64 - HASH_BITS));
}

static size_t place_of(const struct key *key)
{
	return hash(key->words[0] ^ (key->words[1] << 1 | key->words[1] >> 63));
}

static size_t opening_of(uint64_t first_word)
{
	return hash(first_word << (64 - 8 * OPENING_BYTES));
}

/* Up to KEY_BYTES of code, and zeros. */
static struct key read_code(const uint8_t *code, size_t bytes)
{
	struct key key = { { 0 } };

	if (bytes >= KEY_BYTES)
		memcpy(&key, code, KEY_BYTES);
	else
		for (size_t i = 0; i < bytes; i++)
			key.words[i / 8] |= (uint64_t)code[i] << (i % 8 * 8);
	return key;
}

static uint64_t low_bytes(uint64_t word, size_t count)
{
	return count < 8 ? word & ((UINT64_C(1) << 8 * count) - 1) : word;
}

/* Of `length` bytes, 1 to INSN_MAX_BYTES. */
static void finish_key(struct key *key, size_t length, enum decoded_depth depth)
{
	key->words[0] = low_bytes(key->words[0], length);
	key->words[1] = length > 8 ? low_bytes(key->words[1], length - 8) : 0;
	key->words[1] |= (uint64_t)depth << 56;
}

int decoded_find(const struct decoded *decoded, enum decoded_depth depth,
		 const uint8_t *code, size_t bytes, struct insn *out)
{
	struct key key = read_code(code, bytes);
	const size_t length = decoded->lengths[opening_of(key.words[0])];
	const struct decoded_insn *found;

	if (length == 0 || length > bytes)
		return 0;
	finish_key(&key, length, depth);
	found = &decoded->insns[place_of(&key)];
	if (memcmp(found, &key, KEY_BYTES) != 0 || found->insn.length != length)
		return 0;
	*out = found->insn;
	return 1;
}

void decoded_keep(struct decoded *decoded, enum decoded_depth depth,
		  const uint8_t *code, const struct insn *insn)
{
	struct key key = read_code(code, insn->length);
	struct decoded_insn *place;

	decoded->lengths[opening_of(key.words[0])] = insn->length;
	finish_key(&key, insn->length, depth);
	place = &decoded->insns[place_of(&key)];
	memcpy(place, &key, KEY_BYTES);
	place->insn = *insn;
}
