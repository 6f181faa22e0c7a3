/* SPDX-License-Identifier: MIT */
/*
 * Inconsistencies that a stress build of the library finds in its own
 * structures.
 *
 * A build with CLEW_STRESS checks the structures at each fork and at the end of
 * the process; when a library is loaded or a table grows, it checks the
 * structures that have changed. An inconsistency is a defect of clew, never of
 * the program: the library records the first one (wire/recording.h), and every
 * report shows it as a problem.
 *
 * The numbers are part of recordings: append, never reorder.
 */
#ifndef CLEW_WIRE_VIOLATION_H
#define CLEW_WIRE_VIOLATION_H

/* Name, text for humans. */
#define VIOLATIONS(X)                                                          \
	X(NONE, "nothing")                                                     \
	X(CHUNK_BYTES, "a chunk's length does not fit where it is mapped")     \
	X(CHUNK_KIND, "a chunk has an unknown kind")                           \
	X(CHUNK_USED, "a chunk's used length exceeds its length")              \
	X(CHUNK_FREE, "a freed chunk is in use")                               \
	X(CHUNKS_END, "the chunks do not end where the header says")           \
	X(MODULE_BYTES, "a module's record does not fit its chunk")            \
	X(MODULE_NUMBERS, "functions of two modules have the same number")     \
	X(MODULES_MISSING, "functions of no module have a number")             \
	X(TALLY_TABLE, "a count table is not where the recording says")        \
	X(TALLY_FULL, "a count table has no free entry")                       \
	X(TALLY_CLAIM, "an entry of a count table was claimed but not filled") \
	X(TALLY_LOOKUP, "a lookup does not find an existing context")          \
	X(TALLY_TWICE, "a context is in a count table twice")                  \
	X(TALLY_USED, "a count table's number of entries is wrong")            \
	X(TALLY_FUNCTION, "a context's function belongs to no module")         \
	X(TALLY_CALLER, "a context's caller is not recorded")                  \
	X(TALLY_DEPTH, "a context is not one call deeper than its caller")     \
	X(TALLY_FOLDS, "folded calls are not in the entry that counts them")   \
	X(TALLY_RECORD, "a context's record and its entry differ")             \
	X(TALLY_RECORDS, "the numbers of records and contexts differ")

enum violation {
#define X(name, text) VIOLATION_IS_##name,
	VIOLATIONS(X)
#undef X
		VIOLATION_COUNT
};

static inline const char *violation_text(unsigned int violation)
{
	static const char *const texts[] = {
#define X(name, text) text,
		VIOLATIONS(X)
#undef X
	};

	return violation < VIOLATION_COUNT ? texts[violation]
					   : "unknown violation";
}

#endif
