/* SPDX-License-Identifier: MIT */
/* See decoded.h. */
#include "disasm/decoded.h"

#include <string.h>

#define KEY_BYTES 16
#define HASH_BITS 14
#define FEW_BITS  9

_Static_assert(1 << HASH_BITS == DECODED_COUNT, "a place for each hash");
_Static_assert(1 << FEW_BITS == DECODED_FEW, "likewise");
_Static_assert(offsetof(struct decoded_insn, depth) == KEY_BYTES - 1,
	       "the key is what stands in front");
_Static_assert(OPENING_READ_BYTES == KEY_BYTES, "read at once");

/* The opening, zeros, the base bits, and the depth. */
struct key {
	uint64_t words[2];
};

/*
 * Returns the slot for a key. When DECODED_FEW is reached the slots change:
 * entries in former slots are no longer found, and are overwritten.
 */
static size_t place_of(const struct decoded *decoded, const struct key *key)
{
	const int bits = decoded->kept < DECODED_FEW ? FEW_BITS : HASH_BITS;
	const uint64_t word =
		key->words[0] ^ (key->words[1] << 1 | key->words[1] >> 63);

	/*
	 * The golden ratio's bits: Knuth, The Art of Computer Programming 6.4.
	 */
	return (size_t)((word * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - bits));
}

static uint64_t low_bytes(uint64_t word, size_t count)
{
	return count < 8 ? word & ((UINT64_C(1) << 8 * count) - 1) : word;
}

/*
 * Reads the opening at `code` and returns it. *key becomes its key; it is
 * meaningless if the opening has 0 bytes, that is, if it is unknown.
 */
static inline struct insn_opening read_key(const uint8_t *code, size_t bytes,
					   enum decoded_depth depth,
					   struct key *key)
{
	uint8_t copy[KEY_BYTES] = { 0 };
	struct insn_opening opening;
	unsigned int base;

	if (bytes < KEY_BYTES) {
		memcpy(copy, code, bytes);
		code = copy;
	}
	opening = opening_read(code);
	memcpy(key, code, KEY_BYTES);
	key->words[1] = opening.bytes > 8
				? low_bytes(key->words[1], opening.bytes - 8)
				: 0;
	key->words[0] = low_bytes(key->words[0], opening.bytes);
	base = opening.is_baseless;
	if (depth == DECODED_OPERANDS)
		base |= opening.is_on_stack << 1;
	key->words[1] |= (uint64_t)base << 48 | (uint64_t)depth << 56;
	return opening;
}

/*
 * Returns the displacement after the opening of a direct branch, 1 or 4 bytes:
 * see branch.h.
 */
static int32_t branch_bytes(const uint8_t *displacement, size_t bytes)
{
	int32_t wide;

	if (bytes == 1)
		return (int8_t)*displacement;
	memcpy(&wide, displacement, sizeof(wide));
	return wide;
}

int decoded_find(const struct decoded *decoded, enum decoded_depth depth,
		 const uint8_t *code, size_t bytes, struct insn *out)
{
	struct key key;
	const struct insn_opening opening = read_key(code, bytes, depth, &key);
	const struct decoded_insn *found =
		&decoded->insns[place_of(decoded, &key)];

	if (!opening.bytes || memcmp(found, &key, KEY_BYTES) != 0 ||
	    found->insn.length > bytes)
		return 0;
	*out = found->insn;
	if (insn_is_direct_branch(out))
		out->branch_bytes = branch_bytes(code + opening.bytes,
						 out->length - opening.bytes);
	return 1;
}

void decoded_keep(struct decoded *decoded, enum decoded_depth depth,
		  const uint8_t *code, size_t bytes, const struct insn *insn)
{
	struct decoded_insn *place;
	struct key key;

	if (!read_key(code, bytes, depth, &key).bytes)
		return;
	place = &decoded->insns[place_of(decoded, &key)];
	if (decoded->kept < DECODED_FEW)
		decoded->kept++;
	memcpy(place, &key, KEY_BYTES);
	place->insn = *insn;
}
