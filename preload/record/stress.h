/* SPDX-License-Identifier: MIT */
/*
 * The stress build: cmake -DCLEW_STRESS=ON.
 *
 * It is slower, and harder on itself: it walks the runtime's own structures at
 * each fork, at the end, when libraries come and go and when tables grow, where
 * an ordinary build trusts them. What it finds broken is data like everything else,
 * so that the program still runs on; the reports and the tests are loud about it
 * (wire/violation.h).
 *
 * CLEW_STRESS is defined as 0 or 1 in every build: code that is for a stress
 * build only says `if (CLEW_STRESS)`.
 */
#ifndef CLEW_RECORD_STRESS_H
#define CLEW_RECORD_STRESS_H

#include "wire/violation.h"

/* Records that this was found, if anything; the first is named. Any thread. */
void stress_note(enum violation found);

/*
 * Walks everything, and records what is wrong, in the part's header. No thread
 * may be in the midst of loading a library. Of tallies only the caller's own.
 */
void stress_check(void);

#endif
