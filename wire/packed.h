/* SPDX-License-Identifier: MIT */
/*
 * Packed counts of a process image that has ended.
 *
 * `clew record` packs a large part when its process has ended. A packed part has
 * the same chunks at the same offsets, and the version WIRE_VERSION_PACKED. But
 * the payloads of its CONTEXTS chunks, and its count tables in TABLE chunks, are
 * holes in the file; readers must ignore what they read there. Their content is
 * in the last chunk, of kind WIRE_PACKED:
 *
 *	wire_packed | columns of numbers, compressed as one zstd frame
 *
 * TALLY chunks, with their contexts and their first table, are not packed. A
 * CONTEXTS or TABLE chunk without a TALLY chunk of the same owner, and a TABLE
 * chunk to which its tally does not refer, are not packed either.
 *
 * The tallies are packed in ascending order of their numbers. For each tally,
 * the columns contain its CONTEXTS chunks in the order of the file, and then
 * the count tables `table` and `retired`, as far as these are in a TABLE chunk:
 *
 *	SIZES		for each CONTEXTS chunk, its number of valid contexts
 *	CALLERS		for each context, how many contexts its caller is
 *			before it; the contexts in the TALLY chunk count, too.
 *			0: the caller is none of these, or the root, and its id
 *			is in ODDS
 *	FUNCTIONS	zigzag difference from the function of the tally's
 *			previous context, or from 0
 *	DEPTHS		zigzag difference of the depth from its caller's + 1,
 *			or from 1 if CALLERS is 0
 *	SITES		0: the site is that of the latest context with the same
 *			value of wire_packed_site_index(); otherwise 1, and then the
 *			zigzag difference from the latest site in SITES
 *	CALLS		for each context, of the TALLY chunk and of the CONTEXTS
 *			chunks: 0 if no entry of the table is put here, otherwise
 *			its calls + 1. Then the number of entries for other ids,
 *			and the calls of each of these, whose id is in ODDS
 *	TIMES		WIRE_TIME_EXACT: a wire_times for each entry
 *	ODDS		ids of 8 bytes, in the order in which they are needed
 *
 * SIZES to CALLS are LEB128 numbers. The id of a context follows from the id of
 * its caller and its function. Countdowns to verifications are not kept.
 */
#ifndef CLEW_WIRE_PACKED_H
#define CLEW_WIRE_PACKED_H

#include <stdint.h>

enum wire_packed_column {
	WIRE_PACKED_SIZES,
	WIRE_PACKED_CALLERS,
	WIRE_PACKED_FUNCTIONS,
	WIRE_PACKED_DEPTHS,
	WIRE_PACKED_SITES,
	WIRE_PACKED_CALLS,
	WIRE_PACKED_TIMES,
	WIRE_PACKED_ODDS,
	WIRE_PACKED_COLUMNS
};

struct wire_packed {
	/* Size of each column, before compression, in the order of the file. */
	uint64_t column_bytes[WIRE_PACKED_COLUMNS];
};
_Static_assert(sizeof(struct wire_packed) == 64, "on the wire");

/*
 * Neither the columns before compression, nor the packed bytes of all chunks,
 * exceed this size. A small hostile file can claim any size, and would fill a
 * reader's memory.
 */
#define WIRE_PACKED_BYTES_MAX  (UINT64_C(1) << 27)

#define WIRE_PACKED_SITES_LOG2 14

/*
 * Returns the index, below 2^WIRE_PACKED_SITES_LOG2, of the latest site at
 * which a function was called by a caller; 0 stands for an unknown caller. All
 * sites are 0 at first, and are kept from tally to tally.
 */
static inline uint32_t wire_packed_site_index(uint32_t function,
					      uint32_t caller)
{
	const uint32_t mixed = (function ^ caller * UINT32_C(0x85ebca6b)) *
			       UINT32_C(0x9e3779b1);

	return mixed >> (32 - WIRE_PACKED_SITES_LOG2);
}

#endif
