/* SPDX-License-Identifier: MIT */
/*
 * The stress build: cmake -DCLEW_STRESS=ON.
 *
 * This build is slower and checks itself: it walks the runtime's own structures
 * at each fork, at the end, when libraries are loaded and unloaded, and when
 * tables grow. Violations are recorded, so that the program continues; reports
 * and tests show them (wire/violation.h).
 *
 * CLEW_STRESS is 0 or 1 in every build. Code for stress builds is in `if
 * (CLEW_STRESS)`.
 */
#ifndef CLEW_RECORD_STRESS_H
#define CLEW_RECORD_STRESS_H

#include "wire/violation.h"

/*
 * Records a violation, unless `found` is VIOLATION_IS_NONE. The recording has
 * the kind of the first one only. Any thread may call this function.
 */
void stress_note(enum violation found);

/*
 * Checks the part and the calling thread's tally, and records violations in the
 * part's header. No thread may be loading a library.
 */
void stress_check(void);

#endif
