/* SPDX-License-Identifier: MIT */
/* See blake2b.h. */
#include "digest/blake2b.h"

#include <string.h>

#define ROUNDS 12

/*
 * The first 64 bits of the fractional parts of the square roots of eight
 * primes.
 */
static const uint64_t initial[8] = {
	UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b),
	UINT64_C(0x3c6ef372fe94f82b), UINT64_C(0xa54ff53a5f1d36f1),
	UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f),
	UINT64_C(0x1f83d9abfb41bd6b), UINT64_C(0x5be0cd19137e2179),
};

/* The word of the block that each step of a round uses. */
static const uint8_t order[10][16] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
	{ 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4 },
	{ 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8 },
	{ 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13 },
	{ 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9 },
	{ 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11 },
	{ 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10 },
	{ 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5 },
	{ 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0 },
};

static inline uint64_t rotate_right(uint64_t word, int bits)
{
	return word >> bits | word << (64 - bits);
}

static inline void mix(uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d,
		       uint64_t first, uint64_t second)
{
	*a += *b + first;
	*d = rotate_right(*d ^ *a, 32);
	*c += *d;
	*b = rotate_right(*b ^ *c, 24);
	*a += *b + second;
	*d = rotate_right(*d ^ *a, 16);
	*c += *d;
	*b = rotate_right(*b ^ *c, 63);
}

/*
 * Executes one round; its number is a constant, so that `order` is evaluated at
 * compile time.
 */
static inline __attribute__((always_inline)) void mix_all(uint64_t v[16],
							  const uint64_t m[16],
							  const uint8_t s[16])
{
	mix(&v[0], &v[4], &v[8], &v[12], m[s[0]], m[s[1]]);
	mix(&v[1], &v[5], &v[9], &v[13], m[s[2]], m[s[3]]);
	mix(&v[2], &v[6], &v[10], &v[14], m[s[4]], m[s[5]]);
	mix(&v[3], &v[7], &v[11], &v[15], m[s[6]], m[s[7]]);
	mix(&v[0], &v[5], &v[10], &v[15], m[s[8]], m[s[9]]);
	mix(&v[1], &v[6], &v[11], &v[12], m[s[10]], m[s[11]]);
	mix(&v[2], &v[7], &v[8], &v[13], m[s[12]], m[s[13]]);
	mix(&v[3], &v[4], &v[9], &v[14], m[s[14]], m[s[15]]);
}

static void add_block(struct blake2b *hash, const uint8_t *block, size_t count,
		      int is_last)
{
	uint64_t v[16], m[16];

	hash->bytes += count;
	memcpy(m, block, sizeof(m)); /* little-endian, like this architecture */
	memcpy(v, hash->state, sizeof(hash->state));
	memcpy(v + 8, initial, sizeof(initial));
	v[12] ^= hash->bytes;
	v[14] ^= is_last ? UINT64_MAX : 0;
#ifdef __clang__ /* clang 11 does not know the other name */
#pragma unroll 12
#else
#pragma GCC unroll 12
#endif
	for (int round = 0; round < ROUNDS; round++)
		mix_all(v, m, order[round % 10]);
	for (int i = 0; i < 8; i++)
		hash->state[i] ^= v[i] ^ v[i + 8];
}

void blake2b_begin(struct blake2b *hash)
{
	*hash = (struct blake2b){ .bytes = 0 };
	memcpy(hash->state, initial, sizeof(initial));
	hash->state[0] ^= UINT64_C(0x01010000) ^ DIGEST_BYTES;
}

/* Keeps a full last block for blake2b_end(), because more bytes may follow. */
void blake2b_add(struct blake2b *hash, const void *bytes, size_t count)
{
	const uint8_t *at = bytes;

	while (count > 0) {
		size_t taken = sizeof(hash->block) - hash->used;

		if (hash->used == 0 && count > sizeof(hash->block)) {
			add_block(hash, at, sizeof(hash->block), 0);
			at += sizeof(hash->block);
			count -= sizeof(hash->block);
			continue;
		}
		if (taken == 0) {
			add_block(hash, hash->block, sizeof(hash->block), 0);
			hash->used = 0;
			continue;
		}
		if (taken > count)
			taken = count;
		memcpy(hash->block + hash->used, at, taken);
		hash->used += taken;
		at += taken;
		count -= taken;
	}
}

void blake2b_end(struct blake2b *hash, uint8_t digest[DIGEST_BYTES])
{
	memset(hash->block + hash->used, 0, sizeof(hash->block) - hash->used);
	add_block(hash, hash->block, hash->used, 1);
	memcpy(digest, hash->state, DIGEST_BYTES);
}
