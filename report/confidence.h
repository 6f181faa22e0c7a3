/* SPDX-License-Identifier: MIT */
/* What random verification of the ids lets us claim. */
#ifndef CLEW_REPORT_CONFIDENCE_H
#define CLEW_REPORT_CONFIDENCE_H

#include <stdint.h>

/*
 * The exact one-sided 95 % upper bound (Clopper and Pearson) of the share of
 * mismatches, when `mismatches` of `trials` independent trials were such.
 * 1 if there were no trials.
 */
double confidence_upper_bound(uint64_t trials, uint64_t mismatches);

/*
 * Half the width of the 95 % interval (Wilson's) of a share that was estimated
 * from this many samples, of which it has this much. 0 without samples.
 */
double confidence_share_error(double share, uint64_t samples);

#endif
