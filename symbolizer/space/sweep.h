/* SPDX-License-Identifier: MIT */
/* Computes pieces from claims by processing all claims in order of time. */
#ifndef CLEW_SYMBOLIZER_SPACE_SWEEP_H
#define CLEW_SYMBOLIZER_SPACE_SWEEP_H

#include "symbolizer/space/pieces.h"

/*
 * Fills pieces->all, sorted by end, from the claims and the borders, which must
 * contain all starts and ends. Returns 0 or -ENOMEM.
 */
int sweep_claims(struct pieces *pieces);

#endif
