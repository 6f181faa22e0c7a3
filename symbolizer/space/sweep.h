/* SPDX-License-Identifier: MIT */
/* From claims to pieces: plays all claims in the order of their times. */
#ifndef CLEW_SYMBOLIZER_SPACE_SWEEP_H
#define CLEW_SYMBOLIZER_SPACE_SWEEP_H

#include "symbolizer/space/pieces.h"

/*
 * Fills pieces->all, in the order in which they end, from the claims and the
 * borders, among which are all starts and ends. 0 or -ENOMEM.
 */
int sweep_claims(struct pieces *pieces);

#endif
