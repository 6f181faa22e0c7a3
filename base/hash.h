/* SPDX-License-Identifier: MIT */
/*
 * The hash function FNV-1a, and keys by which an idmap (base/idmap.h) finds
 * items whose names are any bytes.
 *
 *	uint64_t hash = hash_add(HASH_START, bytes, length);
 *	uint64_t *slot = idmap_at(&map, hash_key(hash));
 *
 * If another item already has this key, the caller adds two to the key and
 * tries again. Keys are odd, so that they never become 0, which an idmap does
 * not accept.
 */
#ifndef CLEW_BASE_HASH_H
#define CLEW_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

/*
 * Returns the hash of all bytes: those of which `hash` is the hash, followed by
 * `bytes`.
 */
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
