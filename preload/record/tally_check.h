/* SPDX-License-Identifier: MIT */
/*
 * Checks a tally entry by entry and record by record, for tests and for the
 * stress build (stress.h).
 */
#ifndef CLEW_RECORD_TALLY_CHECK_H
#define CLEW_RECORD_TALLY_CHECK_H

#include "preload/hot/tally.h"
#include "preload/record/part.h"
#include "wire/violation.h"

/*
 * Returns the first violation, or VIOLATION_IS_NONE. The table must be at the
 * offset that the recording contains, and must have a free entry. An entry with
 * an id must have a note, and must be found by a search. The function must have
 * a record, and the caller must be recorded, in this tally or another one. The
 * depth must be one more than the caller's, or 1 if this tally knew no caller.
 * Each record of a context must have an equal entry. If no slow path was ever
 * interrupted by another one, no entry may be doubled or half-written, and the
 * calls at "(folded)" must equal the number of folded calls.
 *
 * Called by the owner with signals blocked. is_amid: called within a slow path
 * or while callers are being recorded, so that some callers may be missing.
 */
enum violation tally_check(const struct tally *tally, const struct part *part,
			   int is_amid);

#endif
