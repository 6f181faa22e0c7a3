/* SPDX-License-Identifier: MIT */
/*
 * FNV-1a of any bytes, for keys of an idmap that leads to items with these
 * bytes.
 *
 *	uint64_t hash = hash_add(HASH_START, bytes, length);
 *	uint64_t *slot = idmap_at(&map, hash_key(hash));
 *
 * If another item has the same key, the next key is greater by two: keys are
 * odd, so even steps never reach 0, which is no valid key.
 */
#ifndef CLEW_BASE_HASH_H
#define CLEW_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* Returns the hash of the former bytes followed by these. */
static inline uint64_t hash_add(uint64_t hash, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;

	while (length--)
		hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
	return hash;
}

static inline uint64_t hash_key(uint64_t hash)
{
	return hash | 1;
}

#endif
