/* SPDX-License-Identifier: MIT */
/*
 * Whether a tally is what it should be, entry by entry and record by record:
 * for tests and for the stress build (stress.h).
 */
#ifndef CLEW_RECORD_TALLY_CHECK_H
#define CLEW_RECORD_TALLY_CHECK_H

#include "preload/hot/tally.h"
#include "preload/record/part.h"
#include "wire/violation.h"

/*
 * The first thing that is wrong, or VIOLATION_IS_NONE. The table is where the
 * recording says, and has a free entry. What has an id has a note and is found
 * when it is looked for; it has a function of which there is a record, a caller
 * that is recorded, in this tally or another one, and a depth of one more than
 * the caller's, or 1 if this tally knew no caller of it. Each record of a
 * context has its entry, and says the same. Where no slow path was ever
 * interrupted by another, nothing is there twice, or half, and as many calls
 * stand under "(folded)" as were counted to fold.
 *
 * By the owner, with signals blocked; amid a slow path of its own, or the
 * recording of callers, if it says so: then not all callers are there yet.
 */
enum violation tally_check(const struct tally *tally, const struct part *part,
			   int is_amid);

#endif
